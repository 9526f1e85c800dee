/* Find the processes that a user selects by PID, NAME or --service=SERVICE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/selection.h"
#include "host/brief.h"
#include "host/census.h"
#include "host/inspector.h"
#include "host/process.h"
#include "host/unit.h"
#include "util/allocate.h"
#include "util/terminal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
selected_no_process (const struct unit *unit, struct problem *problem)
{
  if (unit->parts == NULL)
    return problem_set (problem, "the service is not running");
  return problem_set (problem,
                      "the unit has no processes of its own: name one of the "
                      "units that it groups: %s",
                      unit->parts);
}

/* Read the facts about the unit NAME into UNIT.  */
static bool
read_unit (const char *name, struct unit *unit, struct problem *problem)
{
  const char *full = unit_name (name);
  if (full == NULL)
    return problem_set (problem, UNIT_HAS_NO_SUCH_NAME);
  return unit_read (full, unit, problem);
}

/* If WHOLE is false, some of the processes that the user has selected may be
   unknown, and PROBLEM says so.  If COUNT, the number of known processes, is
   not 0, print PROBLEM, so that the user does not take the known processes for
   all processes.  Return true if at least one selected process is known.  */
static bool
take_known (bool whole, size_t count, const struct problem *problem)
{
  if (!whole && count > 0)
    terminal_say (stderr, 4, "hugetext: %s", problem->text);
  return count > 0;
}

/* Remove from LIST, which has *COUNT IDs, the calling process, its inspector
   and its opener.  A unit may run the command itself (ExecStartPost=), so
   these processes may be in the control group of the unit that the user has
   selected.  */
static void
omit_own (pid_t *list, size_t *count)
{
  size_t others = 0;
  for (size_t i = 0; i < *count; ++i)
    if (list[i] != getpid () && !inspector_is (list[i]))
      list[others++] = list[i];
  *count = others;
}

static bool
of_service (const char *service, pid_t **list, size_t *count,
            struct problem *problem)
{
  struct unit unit;
  if (!read_unit (service, &unit, problem))
    return false;
  const bool whole = unit_processes (&unit, NULL, list, count, problem);
  omit_own (*list, count);
  if (whole && *count == 0)
    selected_no_process (&unit, problem);
  unit_free (&unit);
  return take_known (whole, *count, problem);
}

/* Find the process whose ID is the number NAME.  */
static bool
of_number (const char *name, pid_t **list, size_t *count,
           struct problem *problem)
{
  errno = 0;
  long pid = strtol (name, NULL, 10);
  if (errno != 0 || pid <= 0 || pid > INT_MAX)
    return problem_set (problem, "there is no such process");
  *list = allocate (sizeof **list);
  (*list)[(*count)++] = pid;
  return true;
}

/* Find the processes that have NAME, other than those of the command.  If no
   process is found, set PROBLEM only if the name of some process is
   unknown.  */
static bool
of_name (const char *name, pid_t **list, size_t *count,
         struct problem *problem)
{
  *problem = (struct problem){ 0 };
  const bool whole = census_find (name, list, count, problem);
  omit_own (*list, count);
  return take_known (whole, *count, problem);
}

static bool
is_number (const char *name)
{
  return name[0] != '\0' && name[strspn (name, "0123456789")] == '\0';
}

/* Set PATH to the path of UNIT's program, or to "" if the program is unknown.
   While UNIT runs, the program is that of its main process.  The command in
   ExecStart= may be a script that only starts the program, such as
   pg_ctlcluster.  Do not open the program's file, because a user may have
   chosen it.  */
static void
selection_find_program (const struct unit *unit, char path[static PATH_MAX])
{
  path[0] = '\0';
  if (unit->main > 0 && !brief_exe (unit->main, path))
    return;
  if (process_cut_deleted (path) || path[0] == '\0')
    strcpy (path, unit->command);
}

/* Write to WORDS a hint that tells the user to name the path of UNIT's
   program.  */
static void
name_program (const struct unit *unit, char *words, size_t size)
{
  char path[PATH_MAX];
  selection_find_program (unit, path);
  if (path[0] != '\0')
    snprintf (words, size, ": name its program, %s", path);
}

bool
selected_program (const char *name, char id[static NAME_MAX + 1],
                  char path[static PATH_MAX])
{
  struct unit unit;
  struct problem ignored;
  if (!read_unit (name, &unit, &ignored))
    return false;
  selection_find_program (&unit, path);
  strcpy (id, unit.id);
  unit_free (&unit);
  return path[0] != '\0';
}

const char *
selected_hint (const char *name, enum selected_by by)
{
  static char hint[2 * NAME_MAX + PATH_MAX + 128];
  struct unit unit;
  struct problem ignored;
  hint[0] = '\0';
  if (!read_unit (name, &unit, &ignored))
    return hint;
  const int length = snprintf (hint, sizeof hint, "%s is a service", unit.id);
  char *rest = hint + length;
  const size_t size = sizeof hint - length;
  if (by == SELECTED_BY_OPTION)
    snprintf (rest, size, ": use --service=%s", name);
  else if (by == SELECTED_BY_PID && unit.main > 0)
    snprintf (rest, size, ": name its main process by its ID, %d",
              (int) unit.main);
  else
    name_program (&unit, rest, size);
  unit_free (&unit);
  return hint;
}

bool
selected_command (char *const *command, struct problem *problem)
{
  struct unit unit;
  struct problem ignored;
  const char *name = command[0];
  if (command[1] != NULL || !read_unit (name, &unit, &ignored))
    return true;
  const bool up = unit_is_up (&unit);
  if (up)
    problem_set (problem,
                 "%s is running: use --service=%s, or give the path of the "
                 "program to start",
                 unit.id, name);
  else if (unit_is_full_name (name))
    problem_set (problem, "%s", selected_hint (name, SELECTED_BY_OPTION));
  unit_free (&unit);
  return !up && !unit_is_full_name (name);
}

bool
selected_processes (const char *process, const char *service, pid_t **list,
                    size_t *count, struct problem *problem)
{
  *list = NULL;
  *count = 0;
  if (service != NULL)
    return of_service (service, list, count, problem);
  if (is_number (process))
    return of_number (process, list, count, problem);
  if (of_name (process, list, count, problem))
    return true;
  if (unit_is_full_name (process))
    {
      free (*list);
      *list = NULL;
      return of_service (process, list, count, problem);
    }
  if (problem_is (problem))
    return false;
  const char *hint = selected_hint (process, SELECTED_BY_OPTION);
  return problem_set (problem, "there is no process of that name%s%s",
                      hint[0] != '\0' ? "; " : "", hint);
}

bool
selected_service_or_processes (const char *word, pid_t **list, size_t *count,
                               struct problem *problem)
{
  struct unit unit;
  struct problem other;
  *list = NULL;
  *count = 0;
  if (is_number (word))
    return of_number (word, list, count, problem);
  const bool exists = read_unit (word, &unit, &other);
  if (exists)
    unit_free (&unit);
  if (exists && of_service (word, list, count, &other))
    return true;
  free (*list);
  *list = NULL;
  if (of_name (word, list, count, problem))
    return true;
  if (problem_is (problem))
    return false;
  return problem_from (problem, &other, "%s%s",
                       exists ? "" : "there is no process of that name, and ",
                       other.text);
}

/* Return true if process PID has ended.  PROCESS is a pidfd of process PID, or
   -1.  */
static bool
selection_has_ended (pid_t pid, int process)
{
  struct pollfd event = { .fd = process, .events = POLLIN };
  return process >= 0 ? poll (&event, 1, 0) > 0 : process_has_ended (pid);
}

/* Return true if process PID has ended or is exiting.  PROCESS is a pidfd of
   process PID, or -1.  */
static bool
has_gone (pid_t pid, int process)
{
  struct process now;
  struct problem ignored;
  return (selection_has_ended (pid, process)
          || (process_ask (pid, &now, &ignored) && now.exiting));
}

/* Return true if process I of PIDS has ended or is exiting while another of
   the processes runs (selected_has_gone).  PROCESSES contains a pidfd for each
   of PIDS, or is NULL.  */
static bool
has_gone_alone (const pid_t *pids, const int *processes, size_t count,
                size_t i)
{
  if (!has_gone (pids[i], processes != NULL ? processes[i] : -1))
    return false;
  for (size_t other = 0; other < count; ++other)
    if (pids[other] != 0 && other != i
        && !has_gone (pids[other], processes != NULL ? processes[other] : -1))
      return true;
  return false;
}

bool
selected_has_gone (const pid_t *list, size_t count, size_t i)
{
  return has_gone_alone (list, NULL, count, i);
}

bool
selected_held_has_gone (const struct selected *selected, size_t i)
{
  return has_gone_alone (selected->pids, selected->processes, selected->count,
                         i);
}

/* Return true if the COUNT IDs of LIST contain PID.  */
static bool
contains (const pid_t *list, size_t count, pid_t pid)
{
  size_t i = 0;
  while (i < count && list[i] != pid)
    ++i;
  return i < count;
}

/* Open a descriptor of each process of SELECTED.  Remove from SELECTED the
   processes that no longer exist.  */
static bool
open_all (struct selected *selected, struct problem *problem)
{
  size_t good = 0;
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    {
      limit.rlim_cur = limit.rlim_max;
      setrlimit (RLIMIT_NOFILE, &limit);
    }
  for (size_t i = 0; i < selected->count; ++i)
    {
      const pid_t pid = selected->pids[i];
      const int fd = syscall (__NR_pidfd_open, pid, 0);
      if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
        {
          selected->count = good;
          return problem_system (problem, errno);
        }
      if (fd < 0 && errno == ESRCH)
        continue;
      selected->pids[good] = pid;
      selected->processes[good++] = fd;
    }
  selected->count = good;
  return (good > 0
          || (process_check_ids (problem)
              && problem_set (problem, "there is no such process")));
}

/* Keep only those processes of SELECTED that are still selected by PROCESS and
   SERVICE.  A process that has ended before its descriptor was opened may have
   had the ID that now belongs to another process.  */
static bool
confirm (const char *process, const char *service, struct selected *selected,
         struct problem *problem)
{
  pid_t *list;
  size_t count, good = 0;
  if (service == NULL && is_number (process))
    return true;
  if (!selected_processes (process, service, &list, &count, problem))
    {
      free (list);
      return false;
    }
  for (size_t i = 0; i < selected->count; ++i)
    if (contains (list, count, selected->pids[i])
        && !selected_has_ended (selected, i))
      {
        selected->pids[good] = selected->pids[i];
        selected->processes[good++] = selected->processes[i];
      }
    else if (selected->processes[i] >= 0)
      close (selected->processes[i]);
  selected->count = good;
  free (list);
  return good > 0 || problem_set (problem, "the processes have ended");
}

bool
selected_hold (const char *process, const char *service,
               struct selected *selected, struct problem *problem)
{
  *selected = (struct selected){ 0 };
  if (!selected_processes (process, service, &selected->pids, &selected->count,
                           problem))
    {
      selected->count = 0;
      return false;
    }
  selected->processes
      = allocate (selected->count * sizeof *selected->processes);
  return (open_all (selected, problem)
          && confirm (process, service, selected, problem));
}

void
selected_unheld (struct selected *selected, size_t count)
{
  selected->count = count;
  selected->processes = allocate (count * sizeof *selected->processes);
  for (size_t i = 0; i < count; ++i)
    selected->processes[i] = -1;
}

void
selected_free (struct selected *selected)
{
  for (size_t i = 0; i < selected->count; ++i)
    if (selected->processes[i] >= 0)
      close (selected->processes[i]);
  free (selected->pids);
  free (selected->processes);
}

bool
selected_has_ended (const struct selected *selected, size_t i)
{
  return selection_has_ended (selected->pids[i], selected->processes[i]);
}

enum selected_kind
selected_kind (const char *word, pid_t *pid)
{
  struct problem ignored;
  struct unit unit;
  pid_t *list;
  size_t count;
  if (read_unit (word, &unit, &ignored))
    {
      unit_free (&unit);
      return SELECTED_SERVICE;
    }
  if (is_number (word)
      || !selected_processes (word, NULL, &list, &count, &ignored))
    return SELECTED_NOTHING;
  *pid = list[0];
  free (list);
  return SELECTED_PROCESS;
}
