/* The processes that a user names: PID, NAME or --service=SERVICE.
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

static const char *
of_service (const char *service, pid_t **list, size_t *count)
{
  static char words[256];
  struct unit unit;
  const char *full = unit_name (service);
  const char *problem
      = full == NULL ? "no unit can have this name" : unit_read (full, &unit);
  if (problem != NULL)
    return problem;
  *count = unit_processes (&unit, list);
  if (*count == 0)
    {
      bool parts = unit.parts != NULL && unit.parts[0] != '\0';
      snprintf (
          words, sizeof words, "%s%s",
          parts
              ? "the unit has no processes of its own: name one of its units, "
              : "the service is not running",
          parts ? unit.parts : "");
      problem = words;
    }
  unit_free (&unit);
  return problem;
}

/* Find the process with the number NAME.  */
static const char *
of_number (const char *name, pid_t **list, size_t *count)
{
  errno = 0;
  long pid = strtol (name, NULL, 10);
  if (errno != 0 || pid <= 0 || pid > INT_MAX)
    return "there is no such process";
  *list = allocate (sizeof **list);
  (*list)[(*count)++] = pid;
  return NULL;
}

const char *
selected_processes (const char *process, const char *service, pid_t **list,
                    size_t *count)
{
  *list = NULL;
  *count = 0;
  if (service != NULL)
    return of_service (service, list, count);
  if (process[0] != '\0' && process[strspn (process, "0123456789")] == '\0')
    return of_number (process, list, count);
  ssize_t n = process_list (process, list);
  for (ssize_t i = 0; i < n; ++i)
    if ((*list)[i] != getpid ())
      (*list)[(*count)++] = (*list)[i];
  return *count > 0 ? NULL : "there is no process of that name";
}
