/* Acceptance: does "hugetext enable" accept a unit, and may hugetext restart a
   service?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   Whether a unit can be enabled, and whether hugetext may restart it, depends
   only on systemd's properties of the unit, never on the unit's name.  Other
   verbs ask these functions before they advise to enable a service
   (advise.c).  */

#include "service/parts.h"
#include "host/brief.h"
#include "object/loader.h"
#include "util/count.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Return true if UNIT is a service.  */
static bool
accept_is_service (const struct unit *unit)
{
  const char *suffix = strrchr (unit->id, '.');
  return suffix != NULL && strcmp (suffix, ".service") == 0;
}

/* Check that systemd has loaded UNIT.  */
static bool
check_loaded (const struct unit *unit, struct problem *problem)
{
  if (strcmp (unit->load, "loaded") == 0)
    return true;
  if (strcmp (unit->load, "masked") == 0)
    return problem_set (problem,
                        "the unit is masked, so systemd does not start it; to "
                        "change this: systemctl unmask %s",
                        unit->id);
  return problem_set (problem,
                      "systemd has not loaded the unit (%s); for the reason: "
                      "systemctl status %s",
                      unit->load, unit->id);
}

bool
accept_unit (const struct unit *unit, struct problem *problem)
{
  if (!accept_is_service (unit))
    return problem_set (problem, "the unit is not a service%s%s",
                        unit->starts != NULL ? "; it starts " : "",
                        unit->starts != NULL ? unit->starts : "");
  if (!check_loaded (unit, problem))
    return false;
  if (unit->early)
    return problem_set (
        problem,
        "the service belongs to the early boot (DefaultDependencies=no): at "
        "its start %s may not be mounted yet, and the loader then finds no "
        "settings",
        INDEX_PATH);
  if (unit->root[0] != '\0')
    return problem_set (problem,
                        "the service has its own root directory, %s, and "
                        "therefore its own loader and libc",
                        unit->root);
  if (unit->truncates)
    return problem_set (
        problem, "StandardOutput= or StandardError= of the service is "
                 "\"truncate:\". The drop-in makes systemd run a command "
                 "after the service has stopped, and systemd would then empty "
                 "the output file; use \"append:\" instead");
  return (unit->outlives == NULL
          || problem_set (
              problem,
              "processes of the service, for example sessions or jobs, may "
              "outlive the service (%s). Huge text would require a mount "
              "namespace of the service, in which no process can update "
              "libc6, and whose mounts are invisible to other processes",
              unit->outlives));
}

/* Check that a restart of UNIT does not disconnect other services.  Some
   services connect to UNIT through a socket, and depend on the socket unit but
   not on UNIT.  When systemd restarts UNIT, it does not restart services that
   depend only on the socket unit, so these services lose their connections.
   For example, a restart of dbus.service disconnects systemd-logind.service
   and all other services that are connected to the bus.  A restart of a unit
   that is not running breaks no connections.  */
static bool
check_clients (const struct unit *unit, struct problem *problem)
{
  struct file_list clients = { 0 };
  char more[64] = "";
  if (!unit_is_up (unit))
    return true;
  if (!unit_list_clients (unit, &clients, problem))
    {
      file_list_free (&clients);
      return problem_unknown (
          problem,
          "which other services a restart would disconnect (%s); changes take "
          "effect at the next boot",
          problem->text);
    }
  const size_t others = clients.count - 1;
  if (clients.count == 0)
    return true;
  if (others > 0)
    snprintf (more, sizeof more, " and " COUNT_FORMAT,
              COUNT (others, "other service"));
  problem_set (
      problem,
      "a restart would disconnect %s%s: they depend on %s, but not on %s, so "
      "systemd would not restart them; changes take effect at the next boot",
      clients.names[0], more, unit->starters, unit->id);
  file_list_free (&clients);
  return false;
}

bool
accept_restart (const struct unit *unit, struct problem *problem)
{
  char own[PATH_MAX];
  if (unit->refuses != NULL)
    return problem_set (problem,
                        "systemd refuses to restart the service (%syes); "
                        "changes take effect at the next boot",
                        unit->refuses);
  if (unit->is_oneshot)
    return problem_set (
        problem,
        "the service is a job (Type=oneshot), and a restart would run the job "
        "now; changes take effect at %s%s",
        unit->remains ? "the next boot, or after systemctl restart "
                      : "its next start",
        unit->remains ? unit->id : "");
  if (!brief_service (getpid (), own, problem))
    return problem_unknown (
        problem,
        "whether this command runs in the service (%s); a restart would end "
        "the command",
        problem->text);
  if (strcmp (own, unit->id) == 0)
    return problem_set (problem,
                        "this command runs in the service, and a restart "
                        "would end the command; changes take effect when you "
                        "restart the service from elsewhere");
  return check_clients (unit, problem);
}

bool
accept_restart_now (const struct unit *unit, struct problem *problem)
{
  return (accept_restart (unit, problem)
          || problem_from (problem, problem,
                           "%s; nothing was changed: leave out --restart",
                           problem->text));
}

bool
accept_loader (const struct unit *unit, const char *loader,
               struct problem *problem)
{
  if (access (dropin_file (unit->id), F_OK) < 0)
    return problem_set (problem, "%s is missing", dropin_file (unit->id));
  return loader_fits (loader_path (loader), problem);
}

/* Return true if "hugetext enable" has enabled UNIT, and UNIT will start under
   ld-hugetext.so.  */
static bool
is_ready (const struct unit *unit)
{
  struct entry entry;
  struct problem ignored;
  if (!entry_read (unit->id, &entry))
    return false;
  entry_free (&entry);
  return (loader_is_ours (loader_system ())
          || accept_loader (unit, NULL, &ignored));
}

enum reason_answer
accept_how (const struct unit *unit)
{
  struct problem ignored;
  const bool restarts = accept_restart (unit, &ignored);
  if (is_ready (unit))
    return restarts ? REASON_HAS : REASON_HAS_LATER;
  return restarts ? REASON_TAKES : REASON_TAKES_LATER;
}

void
accept_say_running (const struct unit *unit)
{
  struct problem problem;
  char words[REASON_RESTART_WORDS];
  if (accept_restart (unit, &problem))
    printf ("%s: the running service does not change; to restart it: %s\n",
            unit->id, reason_restart (REASON_HAS, unit->id, words));
  else
    printf ("%s: the running service does not change: %s\n", unit->id,
            problem.text);
}
