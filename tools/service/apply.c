/* Apply changes of services and programs: make systemd and the loader use
   them.  A lock ensures that only one hugetext process at a time applies
   changes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/write.h"
#include "service/parts.h"
#include "trust/lock.h"
#include "util/clock.h"
#include "util/exit-status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The descriptor of the lock, or -1.  The kernel releases this lock when the
   command ends.  */
static int lock = -1;

bool
service_lock (struct problem *problem)
{
  /* The lock file is in /run, so it does not survive a reboot.  */
  static const char path[] = "/run/hugetext.lock";
  if (change_is_simulated ())
    return true;
  lock = lock_take (path, clock_milliseconds () + LOCK_LIMIT, "hugetext",
                    "services", problem);
  return lock >= 0
         || problem_from (problem, problem, "%s: %s", path, problem->text);
}

void
service_unlock (void)
{
  if (lock >= 0)
    close (lock);
  lock = -1;
}

/* If LINE is the first line that reports an error, copy it to CLOSURE.  */
static void
keep_line (void *closure, bool wrong, const char *line)
{
  struct problem *problem = closure;
  if (wrong && problem->text[0] == '\0')
    problem_set (problem, "%s", line);
}

bool
service_index (struct problem *problem)
{
  problem->text[0] = '\0';
  if (change_is_simulated ())
    puts ("would run: hugetext index");
  else
    return index_update (CONFIG_PATH, INDEX_PATH, keep_line, problem);
  return true;
}

bool
apply_units (struct problem *problem)
{
  if (!change_is_simulated ())
    return (!unit_systemd_runs () || unit_do ("daemon-reload", NULL, problem));
  puts ("would run: systemctl daemon-reload");
  return true;
}

bool
apply_adaptive_start (const char *id, struct problem *problem)
{
  if (adaptive_is_on (id))
    return true;
  if (!change_is_simulated ())
    return adaptive_start (id, problem);
  printf ("would run: systemctl enable --now %s\n", adaptive_timer (id));
  return true;
}

bool
apply_adaptive_stop (const char *id, struct problem *problem)
{
  if (!adaptive_is_on (id))
    return true;
  if (!change_is_simulated ())
    return adaptive_stop (id, problem);
  printf ("would run: systemctl disable --now %s\n", adaptive_timer (id));
  return true;
}

/* Return true if the unit NAME stays active after it has been restarted.
   systemd reports a service of Type=simple as started even before the
   service's program has been executed.  */
static bool
apply_stays_active (const char *name, struct problem *problem)
{
  for (int i = 0; i < 10; ++i)
    {
      struct unit unit;
      if (!unit_read (name, &unit, problem))
        return false;
      /* When a user restarts a unit, systemd resets the unit's count of
         automatic restarts to 0.  */
      bool good = (unit_is_up (&unit) || strcmp (unit.result, "success") == 0)
                  && unit.restarts == 0;
      unit_free (&unit);
      if (!good)
        return problem_set (problem,
                            "the service started, but failed immediately (see "
                            "journalctl -u %.160s)",
                            name);
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
    }
  return true;
}

bool
apply_restart (const struct unit *unit, struct problem *problem)
{
  if (!accept_restart (unit, problem))
    return false;
  if (!change_is_simulated ())
    return (unit_do ("restart", unit->id, problem)
            && apply_stays_active (unit->id, problem));
  printf ("would run: systemctl restart %s\n", unit->id);
  return true;
}

/* If the service of ENTRY is running with outdated settings, restart it.
   Consider only the settings of the service's main process, because other
   processes in its control group may be left from an earlier run of the
   service, or may belong to any user.  */
static bool
restart_if_outdated (const struct entry *entry, struct problem *problem)
{
  struct effect effect;
  struct unit unit;
  if (!entry_is_service (entry))
    return true;
  if (!unit_read (entry->name, &unit, problem))
    return unit_is_missing (&unit);
  bool good = true, outdated = unit_is_up (&unit) && unit.main != 0;
  if (outdated)
    {
      effect_read (entry, NULL, NULL, &effect);
      effect_free (&effect);
      outdated = effect.main_outdated;
      /* If facts about some processes are unknown, report this as a problem,
         because the main process may be one of these processes.  */
      good = outdated || effect.trouble.code == PROBLEM_PLAIN;
      if (!good)
        *problem = effect.trouble;
    }
  if (outdated)
    good = apply_restart (&unit, problem);
  unit_free (&unit);
  if (outdated && good)
    printf ("%s: the service was restarted, and now has the new settings\n",
            entry->name);
  return good;
}

int
service_restart_outdated (void)
{
  struct entry *list;
  if (!unit_systemd_runs ())
    {
      puts ("systemd is not running here, so no service was restarted");
      return STATUS_OK;
    }
  const int count = entry_list (&list);
  int status = count < 0 ? STATUS_PARTLY : STATUS_OK;
  if (count < 0)
    fprintf (stderr, "hugetext index: %s: %s\n", entry_directory (),
             strerror (errno));
  for (int i = 0; i < count; ++i)
    {
      struct problem problem;
      if (!restart_if_outdated (&list[i], &problem))
        {
          status = STATUS_PARTLY;
          fflush (stdout);
          fprintf (stderr, "hugetext index: %s: %s\n", list[i].name,
                   problem.text);
        }
      entry_free (&list[i]);
    }
  if (count >= 0)
    free (list);
  return status;
}

int
service_each (const char *verb, service_action *action,
              const struct service_options *options)
{
  struct problem problem;
  int status = STATUS_OK;
  const bool root = geteuid () == 0;
  if (root && !service_lock (&problem))
    {
      fprintf (stderr, "hugetext %s: %s\n", verb, problem.text);
      return STATUS_PARTLY;
    }
  for (char **word = options->words; *word != NULL; ++word)
    {
      bool good
          = root || change_is_simulated ()
                ? action (options, *word, &problem)
                : problem_set (
                    &problem,
                    "only root can do this; --dry-run works for every user");
      /* If systemd fails to restart the service, keep the earlier changes.  */
      change_keep ();
      if (good)
        continue;
      status = STATUS_PARTLY;
      fflush (stdout);
      fprintf (stderr, "hugetext %s: %s: %s\n", verb, *word, problem.text);
    }
  return status;
}
