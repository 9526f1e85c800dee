/* Advice: would "hugetext attach" or "hugetext adapt" accept a process?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   "hugetext attach" and "hugetext adapt" decide by functions in the program
   hugetext-attach.  This file executes hugetext-attach (which may not be
   installed) to get the answers of the same functions, so that the two verbs
   accept what other verbs advise.  */

#include "object/attachable.h"
#include "host/child.h"
#include "host/process.h"
#include "object/loader.h"
#include "util/allocate.h"
#include "util/exit-status.h"
#include "util/patience.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An answer that this process has already given.  */
struct known
{
  enum reason_verb verb;
  pid_t pid;
  char *setting; /* The setting in the question, or "".  */
  enum reason_answer answer;
  struct problem problem;
};

int
attachable_status (enum reason_answer answer)
{
  return (answer == REASON_TAKES     ? STATUS_OK
          : answer == REASON_REFUSES ? STATUS_PARTLY
                                     : STATUS_LOW);
}

bool
attachable_at_start (struct problem *problem)
{
  if (!process_check_ids (problem))
    return false;
  /* A filter may forbid the system calls that hugetext-attach makes this
     process execute.  */
  if (process_is_filtered (0))
    return problem_set (problem, "the process has a seccomp filter");
  return loader_check_attach (problem);
}

/* Return the answer that hugetext-attach gives by STATUS, its exit status
   (attachable_status).  */
static enum reason_answer
answer_of (int status)
{
  for (enum reason_answer answer = 0; answer <= REASON_REFUSES; ++answer)
    if (attachable_status (answer) == status)
      return answer;
  return REASON_UNKNOWN;
}

/* Answer QUESTION, and set its problem.  If the time for advice is over, or
   hugetext-attach does not answer in time, the answer is REASON_UNKNOWN.  */
static enum reason_answer
attachable_answer_question (struct known *question)
{
  char pid[16], *output = NULL;
  const char *setting
      = question->setting[0] != '\0' ? question->setting : NULL;
  if (!loader_check_attach (&question->problem))
    return REASON_REFUSES;
  if (!patience_begin ())
    return REASON_UNKNOWN;
  snprintf (pid, sizeof pid, "%d", (int) question->pid);
  const char *const argv[]
      = { loader_attach (),
          "check",
          question->verb == REASON_ADAPT ? "adapt" : "attach",
          pid,
          setting,
          NULL };
  const int status = child_run (argv, PATIENCE_LIMIT, &output);
  patience_end ();
  if (output != NULL)
    problem_set (&question->problem, "%.*s", (int) strcspn (output, "\n"),
                 output);
  free (output);
  return status >= 0 ? answer_of (status) : REASON_UNKNOWN;
}

enum reason_answer
attachable_ask (enum reason_verb verb, const struct reason_about *about,
                const struct reason_file *file, struct problem *problem)
{
  static struct known *list;
  static size_t count;
  const char *setting = about->setting != NULL ? about->setting : "";
  size_t i = 0;
  (void) file;
  if (about->process <= 0)
    return REASON_UNKNOWN;
  while (i < count
         && (list[i].verb != verb || list[i].pid != about->process
             || strcmp (list[i].setting, setting) != 0))
    ++i;
  if (i == count)
    {
      list = allocate_more (list, count++, sizeof *list);
      list[i] = (struct known){ .verb = verb,
                                .pid = about->process,
                                .setting = allocate_text (setting) };
      list[i].answer = attachable_answer_question (&list[i]);
    }
  *problem = list[i].problem;
  return list[i].answer;
}
