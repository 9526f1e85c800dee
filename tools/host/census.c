/* A census: brief facts about all processes at one time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/census.h"
#include "util/allocate.h"

#include <stdlib.h>
#include <string.h>

/* Append the facts FOUND to CENSUS.  */
static void
census_add_facts (struct census *census, const struct brief *found)
{
  const size_t i = census->count++;
  census->list = allocate_more (census->list, i, sizeof *census->list);
  census->list[i]
      = (struct census_process){ .pid = found->process.pid,
                                 .state = found->state,
                                 .name = allocate_text (found->process.name),
                                 .group = allocate_text (found->group),
                                 .service = allocate_text (found->service),
                                 .exe = allocate_text (found->exe) };
  census->unknown += found->state == BRIEF_UNKNOWN;
  census->no_group += found->state == BRIEF_NO_GROUP;
}

void
census_take (struct census *census)
{
  pid_t *list;
  if (census->taken)
    return;
  struct brief *found = allocate (BRIEF_MANY * sizeof *found);
  *census = (struct census){ .taken = true };
  const ssize_t n = process_list (&list);
  if (n <= 0)
    {
      problem_errno (&census->why, "/proc");
      *found = (struct brief){ .state = BRIEF_UNKNOWN };
      census_add_facts (census, found);
    }
  for (ssize_t i = 0, k; i < n; i += k)
    {
      k = brief_ask_many (list + i, n - i, found, &census->why);
      for (ssize_t j = 0; j < k; ++j)
        census_add_facts (census, &found[j]);
    }
  free (found);
  free (list);
}

void
census_free (struct census *census)
{
  for (size_t i = 0; i < census->count; ++i)
    {
      free ((char *) census->list[i].name);
      free ((char *) census->list[i].group);
      free ((char *) census->list[i].service);
      free ((char *) census->list[i].exe);
    }
  free (census->list);
}

const struct census_process *
census_process (const struct census *census, pid_t pid)
{
  size_t i = 0;
  while (census->list[i].pid != pid)
    ++i;
  return &census->list[i];
}

/* Return true if the name of PROCESS, or of its program, is NAME.  */
static bool
census_is_named (const struct census_process *process, const char *name)
{
  const char *slash = strrchr (process->exe, '/');
  return (strcmp (process->name, name) == 0
          || (slash != NULL && strcmp (slash + 1, name) == 0));
}

bool
census_find (const char *name, pid_t **list, size_t *count,
             struct problem *problem)
{
  struct census census = { .taken = false };
  *list = NULL;
  *count = 0;
  census_take (&census);
  for (size_t i = 0; i < census.count; ++i)
    if (census.list[i].state >= BRIEF_NO_GROUP
        && census_is_named (&census.list[i], name))
      {
        *list = allocate_more (*list, *count, sizeof **list);
        (*list)[(*count)++] = census.list[i].pid;
      }
  const bool whole = census.unknown == 0;
  census_free (&census);
  return whole
         || problem_unknown (problem, "which %sprocesses have this name: %s",
                             *count > 0 ? "other " : "", census.why.text);
}
