/* A family is a process with all its descendants: inspect the text of a
   family.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "run/family.h"
#include "host/process.h"
#include "text/inspect.h"

#include <stdio.h>

enum
{
  /* How many generations of descendants the command inspects.  */
  DEPTH = 16,
};

/* Add PID alone to FAMILY.  */
static void
add (pid_t pid, struct family *family)
{
  static struct inspection found;
  if (!inspect (pid, INSPECT_DIRECT, &found))
    return;
  const struct text_sums sums = report_sums (&found.objects);
  inspect_free (&found);
  /* Do not count a process in which the loader is still running, because the
     loader has not made all huge pages yet.  */
  if (found.loading)
    return;
  family->processes += sums.huge + sums.small > 0;
  report_add (&family->sums, &sums);
}

static void
look_deeper (pid_t pid, int depth, struct family *family)
{
  char path[80];
  int child;
  add (pid, family);
  /* Read only the children of the first thread: other threads have few
     children, and reading them takes time.  */
  snprintf (path, sizeof path, "/proc/%d/task/%d/children", (int) pid,
            (int) pid);
  FILE *stream = depth > 0 ? fopen (path, "re") : NULL;
  if (stream == NULL)
    return;
  while (fscanf (stream, "%d", &child) == 1)
    look_deeper (child, depth - 1, family);
  fclose (stream);
}

void
family_look (pid_t pid, struct family *family)
{
  struct problem problem;
  *family = (struct family){ .processes = 0 };
  if (process_check_ids (&problem))
    look_deeper (pid, DEPTH, family);
}
