/* The text that running programs have mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey/survey.h"
#include "text/inspect.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add FOUND's text to ROW.  */
static void
add_process (struct survey_row *row, const struct inspection *found)
{
  struct text_sums sums = report_sums (&found->objects);
  if (row->processes++ == 0)
    row->elsewhere = true;
  row->pid = found->process.pid;
  row->sums.text += sums.text;
  row->sums.huge += sums.huge;
  row->sums.small += sums.small;
  row->sums.backing |= sums.backing;
  const char *loader = inspect_loader (found);
  row->ours |= loader != NULL && strcmp (loader, "ld-hugetext") == 0;
  row->elsewhere &= inspect_is_elsewhere (row->pid);
}

void
survey_look (struct survey *survey)
{
  pid_t *list;
  ssize_t n = process_list (NULL, &list);
  for (ssize_t i = 0; i < n; ++i)
    {
      struct inspection found;
      if (list[i] == getpid ())
        continue;
      const char *problem = inspect (list[i], 0, &found);
      inspect_say_left_out (&found, problem);
      struct survey_row *row = NULL;
      if (problem == NULL || found.unread)
        row = survey_row_of (survey, list[i]);
      survey->unread += problem != NULL && found.unread;
      if (problem == NULL && row != NULL)
        add_process (row, &found);
      else if (row != NULL)
        ++row->unread;
      if (problem == NULL)
        inspect_free (&found);
    }
  if (n >= 0)
    free (list);
}
