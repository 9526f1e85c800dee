/* "hugetext status" for several processes, in the tables of text/several.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/parts.h"
#include "host/selection.h"
#include "text/several.h"
#include "util/count.h"
#include "util/terminal.h"

struct shown
{
  struct several all;
  size_t full;   /* The number of processes that have used up their cap.  */
  size_t beyond; /* The largest number of blocks that the cap has left on small
                    pages in one process.  */
  char cap[INSPECT_CAP_WORDS];     /* The sentence about the cap of the process
                                      with the most blocks beyond its cap.  */
  struct unseen unseen[OBSERVERS]; /* For each kind of tools (debuggers,
                                      profilers...), the objects that tools of
                                      the kind do not find.  The objects of a
                                      kind are all from one process: the
                                      process with the most objects that tools
                                      of the kind do not find.  */
};

/* Add FOUND to SHOWN.  */
static void
status_several_add_found (struct shown *shown, const struct inspection *found)
{
  struct reason_about about = inspect_about (found, &found->settings);
  char *facts = NULL;
  size_t size;
  FILE *stream = open_memstream (&facts, &size);
  if (stream == NULL)
    return;
  /* The facts are printed for all processes that have the same facts, so they
     must not contain the ID of this process.  */
  about.pid = 0;
  status_print_facts (stream, "each of these processes", found, &about);
  fclose (stream);
  several_add (&shown->all, found, facts);
  if (found->cap_reason != HUGETEXT_NONE)
    {
      ++shown->full;
      if (found->beyond_cap > shown->beyond)
        {
          shown->beyond = found->beyond_cap;
          inspect_describe_cap (found, &about, shown->cap);
        }
    }
  report_add_unseen (&found->objects, &about, shown->unseen);
}

/* Print SHOWN.  */
static void
status_several_print_shown (struct shown *shown)
{
  several_print_groups (&shown->all);
  several_print_tables (&shown->all);
  if (shown->full > 0)
    terminal_say (stdout, 4, COUNT_FORMAT ": %s",
                  COUNT_PLURAL (shown->full, "process", "processes"),
                  shown->cap);
  report_unseen (stdout, 4, "", shown->unseen);
}

bool
status_several (struct status *status, const pid_t *list, size_t count,
                const char *name)
{
  struct shown shown = { .full = 0 };
  bool good = true;
  for (size_t i = 0; i < count; ++i)
    {
      struct inspection found;
      if (!inspect (list[i], INSPECT_COST, &found))
        {
          const char *known = found.process.name;
          if (selected_has_gone (list, count, i))
            continue;
          several_add_problem (&shown.all, &status->answer, &found.process,
                               known[0] != '\0' ? known : name,
                               found.problem.text);
          good = false;
          continue;
        }
      status_count (status, &found);
      if (!status->json)
        status_several_add_found (&shown, &found);
      inspect_free (&found);
    }
  if (shown.all.nlines > 0)
    {
      if (status->printed)
        putchar ('\n');
      status_several_print_shown (&shown);
      status->printed = true;
    }
  several_print_problems (&shown.all, &status->answer);
  several_free (&shown.all);
  return good;
}
