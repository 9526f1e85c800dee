/* The children of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/children.h"
#include "host/process.h"
#include "util/allocate.h"

#include <stdio.h>
#include <stdlib.h>

size_t
children_list (pid_t pid, pid_t **list)
{
  char path[80];
  int child;
  size_t count = 0;
  *list = NULL;
  snprintf (path, sizeof path, "/proc/%d/task/%d/children", (int) pid,
            (int) pid);
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return 0;
  while (fscanf (stream, "%d", &child) == 1)
    {
      *list = allocate_more (*list, count, sizeof **list);
      (*list)[count++] = child;
    }
  fclose (stream);
  return count;
}

bool
children_describe (pid_t pid, char words[static CHILDREN_WORDS])
{
  enum
  {
    NAMED = 3, /* The maximum number of children that a message names.  */
  };
  pid_t *list;
  struct problem ignored;
  struct process child;
  const size_t count = children_list (pid, &list);
  int length = snprintf (
      words, CHILDREN_WORDS,
      count == 1 ? "the child of this process was not sampled:"
                 : "the %zu children of this process were not sampled:",
      count);
  for (size_t i = 0; i < count && i < NAMED; ++i)
    length += snprintf (words + length, CHILDREN_WORDS - length,
                        process_ask (list[i], &child, &ignored) ? "%s %d (%s)"
                                                                : "%s %d",
                        i > 0 ? "," : "", (int) list[i], child.name);
  if (count > NAMED)
    snprintf (words + length, CHILDREN_WORDS - length, ", ...");
  free (list);
  return count > 0;
}
