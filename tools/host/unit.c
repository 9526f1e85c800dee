/* systemd units, as systemctl describes them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/unit.h"
#include "host/members.h"
#include "host/systemctl.h"
#include "util/allocate.h"
#include "util/similar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
unit_systemd_runs (void)
{
  /* The existence of this directory shows that systemd runs
     (sd_booted(3)).  */
  return access ("/run/systemd/system", F_OK) == 0;
}

/* Return true if systemd runs.  Call this function before systemctl, because
   in a chroot systemctl does nothing and succeeds.  */
static bool
check_systemd (struct problem *problem)
{
  return unit_systemd_runs () || problem_set (problem, UNIT_NO_SYSTEMD);
}

void
unit_list_services (struct file_list *names)
{
  struct problem ignored;
  if (unit_systemd_runs () && !systemctl_services (names, &ignored))
    file_list_free (names);
}

/* Set PROBLEM to a message that there is no unit NAME.  The message lists
   services with similar names.  Return false.  */
static bool
unit_set_missing (const char *name, struct problem *problem)
{
  struct file_list names = { 0 };
  char similar[NAME_MAX * 4];
  unit_list_services (&names);
  similar_names (name, &names, "; units with similar names: ", similar,
                 sizeof similar);
  file_list_free (&names);
  return problem_set (problem, "there is no such system unit%s", similar);
}

bool
unit_read (const char *name, struct unit *unit, struct problem *problem)
{
  *unit = (struct unit){ .start_limit = -1 };
  if (!check_systemd (problem))
    return false;
  const bool known = systemctl_show (name, unit, problem);
  if (known && unit->id[0] != '\0' && !unit_is_missing (unit))
    return true;
  unit_free (unit);
  if (known)
    return unit_set_missing (name, problem);
  *unit = (struct unit){ .start_limit = -1 };
  return false;
}

void
unit_free (struct unit *unit)
{
  free (unit->parts);
  free (unit->starts);
  free (unit->starters);
  unit->parts = unit->starts = unit->starters = NULL;
}

bool
unit_is_missing (const struct unit *unit)
{
  return strcmp (unit->load, "not-found") == 0;
}

bool
unit_is_up (const struct unit *unit)
{
  return (strcmp (unit->active, "active") == 0
          || strcmp (unit->active, "activating") == 0
          || strcmp (unit->active, "reloading") == 0);
}

/* Set *UP to true if the unit NAME is running or starting.  If the state of
   the unit is unknown, set PROBLEM and return false.  */
static bool
read_up (const char *name, bool *up, struct problem *problem)
{
  struct unit unit;
  *up = false;
  if (!unit_read (name, &unit, problem))
    return unit_is_missing (&unit);
  *up = unit_is_up (&unit);
  unit_free (&unit);
  return true;
}

/* UNIT may have starters: a socket or another unit that starts UNIT.  Add to
   ALL the services that need one of the starters.  Do not add UNIT itself.  If
   these services are unknown, set PROBLEM and return false.  */
static bool
list_needing (const struct unit *unit, struct file_list *all,
              struct problem *problem)
{
  char *words,
      *copy = allocate_text (unit->starters != NULL ? unit->starters : "");
  bool good = true;
  for (char *name = strtok_r (copy, " ", &words); name != NULL && good;
       name = strtok_r (NULL, " ", &words))
    good = systemctl_related (name, "RequiredBy,BoundBy", unit->id, all,
                              problem);
  free (copy);
  return good;
}

bool
unit_list_clients (const struct unit *unit, struct file_list *names,
                   struct problem *problem)
{
  struct file_list all = { 0 }, restarted = { 0 };
  bool good
      = list_needing (unit, &all, problem)
        && (all.count == 0
            || systemctl_related (unit->id, "RequiredBy,BoundBy,ConsistsOf",
                                  unit->id, &restarted, problem));
  for (size_t i = 0; i < all.count && good; ++i)
    {
      bool up = false;
      if (!file_list_has (&restarted, all.names[i])
          && !file_list_has (names, all.names[i]))
        good = read_up (all.names[i], &up, problem);
      if (up)
        file_list_add (names, all.names[i]);
    }
  file_list_free (&all);
  file_list_free (&restarted);
  return good;
}

bool
unit_do (const char *verb, const char *name, struct problem *problem)
{
  const char *const argv[]
      = { "systemctl", "--no-pager", "--no-ask-password", verb, "--",
          name,        NULL };
  return check_systemd (problem) && systemctl_do (argv, problem);
}

/* Return true if PROCESS is in the control group GROUP, or in a group below
   it.  */
static bool
is_in_group (const struct census_process *process, const char *group)
{
  const size_t length = strlen (group);
  const char rest = strncmp (process->group, group, length) == 0
                        ? process->group[length]
                        : '?';
  return process->state == BRIEF_READ && (rest == '\0' || rest == '/');
}

/* Add PID to the *COUNT processes in *LIST.  */
static void
unit_add_process (pid_t **list, size_t *count, pid_t pid)
{
  *list = allocate_more (*list, *count, sizeof **list);
  (*list)[(*count)++] = pid;
}

static bool
has_process (const pid_t *list, size_t count, pid_t pid)
{
  for (size_t i = 0; i < count; ++i)
    if (list[i] == pid)
      return true;
  return false;
}

/* The control groups of some processes in CENSUS are unknown.  Ask the kernel
   which of these processes are in GROUP, and add them to the *COUNT processes
   in *LIST.  If the kernel were not asked, one process whose control group
   cannot be read would make the list of processes of every service incomplete.
   Return false if the list may still be incomplete.  */
static bool
add_doubtful (const char *group, const struct census *census, pid_t **list,
              size_t *count)
{
  struct problem ignored;
  pid_t *members;
  size_t nmembers;
  bool whole = members_ask (group, &members, &nmembers, &ignored);
  for (size_t i = 0; whole && i < census->count; ++i)
    {
      const struct census_process *process = &census->list[i];
      if (process->state == BRIEF_NO_GROUP
          && has_process (members, nmembers, process->pid))
        unit_add_process (list, count, process->pid);
      /* The process 0 stands for all processes.  */
      else if (process->state == BRIEF_UNKNOWN)
        whole = process->pid != 0
                && !has_process (members, nmembers, process->pid);
    }
  free (members);
  return whole;
}

bool
unit_processes (const struct unit *unit, struct census *census, pid_t **list,
                size_t *count, struct problem *problem)
{
  struct census own = { .taken = false };
  *list = NULL;
  *count = 0;
  if (unit->group[0] == '\0' || strcmp (unit->group, "/") == 0)
    return true;
  if (census == NULL)
    census = &own;
  census_take (census);
  for (size_t i = 0; i < census->count; ++i)
    if (is_in_group (&census->list[i], unit->group))
      unit_add_process (list, count, census->list[i].pid);
  const bool whole
      = (census->unknown == 0 && census->no_group == 0)
        || add_doubtful (unit->group, census, list, count)
        || problem_unknown (problem, "which %sprocesses the service has: %s",
                            *count > 0 ? "other " : "", census->why.text);
  census_free (&own);
  return whole;
}
