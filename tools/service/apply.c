/* The application of changes: one hugetext at a time changes services and
   programs, and tells systemd and the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/write.h"
#include "service/parts.h"
#include "util/exit-status.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

bool
service_lock (struct problem *problem)
{
  /* The lock is a file and no folder: a user who can read a folder can lock
     it, and make the command wait.  The file is gone at the next boot.  */
  static const char path[] = "/run/hugetext.lock";
  if (change_is_simulated ())
    return true;
  int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  return ((fd >= 0 && flock (fd, LOCK_EX) == 0)
          || problem_errno (problem, path));
}

/* Keep the first error LINE in CLOSURE.  */
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
    return (!unit_systemd_runs ()
            || problem_take (problem, unit_do ("daemon-reload", NULL)));
  puts ("would run: systemctl daemon-reload");
  return true;
}

/* Whether the unit NAME, which has just been restarted, stays up.  A service
   of Type=simple counts as started before it is executed.  */
static bool
watch (const char *name, struct problem *problem)
{
  for (int i = 0; i < 10; ++i)
    {
      struct unit unit;
      if (!problem_take (problem, unit_read (name, &unit)))
        return false;
      /* A restart by hand sets the count of systemd's own restarts to 0.  */
      bool good = (unit_is_up (&unit) || strcmp (unit.result, "success") == 0)
                  && unit.restarts == 0;
      unit_free (&unit);
      if (!good)
        return problem_set (problem, "it started, and failed at once");
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
    }
  return true;
}

bool
apply_restart (const char *name, struct problem *problem)
{
  if (!change_is_simulated ())
    return (problem_take (problem, unit_do ("restart", name))
            && watch (name, problem));
  printf ("would run: systemctl restart %s\n", name);
  return true;
}

int
service_each (const char *verb, service_action *action,
              const struct service_options *options, char **words)
{
  struct problem problem;
  int status = STATUS_OK;
  const bool root = geteuid () == 0;
  if (root && !service_lock (&problem))
    {
      fprintf (stderr, "hugetext %s: %s\n", verb, problem.text);
      return STATUS_PARTLY;
    }
  for (char **word = words; *word != NULL; ++word)
    {
      bool good = root || change_is_simulated ()
                      ? action (options, *word, &problem)
                      : problem_set (&problem,
                                     "this takes root; --dry-run does not");
      /* Earlier changes stay.  */
      change_keep ();
      if (good)
        continue;
      status = STATUS_PARTLY;
      fflush (stdout);
      fprintf (stderr, "hugetext %s: %s: %s\n", verb, *word, problem.text);
    }
  return status;
}
