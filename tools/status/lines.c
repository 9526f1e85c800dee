/* Lines of the tables of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/parts.h"

#include <stdlib.h>

struct status_line
status_line (const struct inspection *found)
{
  return (struct status_line){ .process = found->process,
                               .sums = report_sums (&found->objects) };
}

static int
by_small (const void *a, const void *b)
{
  const struct status_line *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return x->process.pid < y->process.pid ? -1 : 1;
}

void
status_sort_lines (struct status_line *lines, size_t count)
{
  if (count > 0)
    qsort (lines, count, sizeof *lines, by_small);
}

void
status_print_lines (const struct status_line *lines, size_t count)
{
  char number[24];
  report_heading (stdout, "PID", "name");
  for (size_t i = 0; i < count; ++i)
    {
      snprintf (number, sizeof number, "%d", (int) lines[i].process.pid);
      report_row (stdout, number, lines[i].process.name, &lines[i].sums);
    }
}
