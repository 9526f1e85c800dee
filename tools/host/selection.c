/* Find the processes that a user selects by PID, NAME or --service=SERVICE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/selection.h"
#include "host/process.h"
#include "host/unit.h"
#include "util/allocate.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool
of_service (const char *service, pid_t **list, size_t *count,
            struct problem *problem)
{
  struct unit unit;
  const char *full = unit_name (service);
  if (full == NULL)
    return problem_set (problem, UNIT_HAS_NO_SUCH_NAME);
  if (!unit_read (full, &unit, problem))
    return false;
  *count = unit_processes (&unit, list);
  if (*count == 0)
    selected_no_process (&unit, problem);
  unit_free (&unit);
  return *count > 0;
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

bool
selected_processes (const char *process, const char *service, pid_t **list,
                    size_t *count, struct problem *problem)
{
  *list = NULL;
  *count = 0;
  if (service != NULL)
    return of_service (service, list, count, problem);
  if (process[0] != '\0' && process[strspn (process, "0123456789")] == '\0')
    return of_number (process, list, count, problem);
  ssize_t n = process_list (process, list);
  for (ssize_t i = 0; i < n; ++i)
    if ((*list)[i] != getpid ())
      (*list)[(*count)++] = (*list)[i];
  return *count > 0
         || problem_set (problem, "there is no process of that name");
}

enum selected_kind
selected_kind (const char *word, pid_t *pid)
{
  struct problem ignored;
  struct unit unit;
  pid_t *list;
  size_t count;
  const char *full = unit_systemd_runs () ? unit_name (word) : NULL;
  if (full != NULL && unit_read (full, &unit, &ignored))
    {
      unit_free (&unit);
      return SELECTED_SERVICE;
    }
  if (!selected_processes (word, NULL, &list, &count, &ignored))
    return SELECTED_NOTHING;
  *pid = list[0];
  free (list);
  return SELECTED_PROCESS;
}
