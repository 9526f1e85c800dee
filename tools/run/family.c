/* Inspect the text of a family: a process with all its descendants.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "run/family.h"
#include "host/children.h"
#include "host/process.h"
#include "text/inspect.h"

#include <stdlib.h>

enum
{
  /* The number of generations of descendants that the command inspects.  */
  DEPTH = 16,
};

/* Add only the process PID to FAMILY, without its descendants.  */
static void
family_add_process (pid_t pid, struct family *family)
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
  pid_t *children = NULL;
  family_add_process (pid, family);
  const size_t count = depth > 0 ? children_list (pid, &children) : 0;
  for (size_t i = 0; i < count; ++i)
    look_deeper (children[i], depth - 1, family);
  free (children);
}

void
family_look (pid_t pid, struct family *family)
{
  struct problem problem;
  *family = (struct family){ .processes = 0 };
  if (process_check_ids (&problem))
    look_deeper (pid, DEPTH, family);
}
