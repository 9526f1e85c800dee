/* The attach to one process: plan, change and report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/report.h"
#include "attach/worker.h"

#include <stdio.h>

/* Report the result of ALL; SAID: a problem has been reported already.  */
static bool
report (const struct attach_request *request, struct attach_answer *answer,
        const struct conversion *all, bool said)
{
  struct object_list objects;
  if (objtext_read (all->pid, 0, &objects) < 0)
    {
      if (!said)
        answer_problem (&answer->answer, &all->found.process, NULL,
                        "it has ended");
      return false;
    }
  if (!answer->answer.json && answer->printed)
    putchar ('\n');
  answer->printed = true;
  bool good = attach_report (all, request, &objects, answer);
  objtext_free (&objects);
  return good;
}

/* Carry out REQUEST on the process of ALL, which is planned.  Return NULL, or
   why that is not possible, or not to its end.  */
static const char *
change (const struct attach_request *request, struct conversion *all)
{
  return request->dry_run ? NULL : worker_do (all, request->undo);
}

bool
attach_process (const struct attach_request *request, pid_t pid,
                const char *name, struct attach_answer *answer)
{
  struct conversion all;
  const char *problem
      = convert_plan (&all, pid, &request->settings, request->undo);
  if (problem == NULL)
    problem = change (request, &all);
  bool good = problem == NULL;
  if (problem != NULL)
    answer_problem (&answer->answer, &all.found.process, name, problem);
  if (problem == NULL || all.stops.count > 0)
    good = report (request, answer, &all, !good) && good;
  convert_free (&all);
  return good;
}
