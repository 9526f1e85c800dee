/* The answer of a verb: problems as they come, and JSON at the end.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/answer.h"
#include "util/output.h"

void
answer_begin (struct answer *answer, const char *verb, bool json)
{
  *answer = (struct answer){ .verb = verb,
                             .json = json,
                             .all = json_begin (),
                             .problems = json_object_new_array () };
}

struct json_object *
answer_array (struct answer *answer, const char *key)
{
  struct json_object *array = json_object_new_array ();
  json_object_object_add (answer->all, key, array);
  return array;
}

void
answer_note (struct answer *answer, const struct process *process,
             const char *name, const char *problem)
{
  json_object_array_add (answer->problems,
                         json_problem (process, name, problem));
}

void
answer_problem (struct answer *answer, const struct process *process,
                const char *name, const char *problem)
{
  answer_note (answer, process, name, problem);
  /* Write earlier output first.  */
  output_flush ();
  if (process != NULL && process->name[0] != '\0')
    fprintf (stderr, "hugetext %s: %d (%s): %s\n", answer->verb,
             (int) process->pid, process->name, problem);
  else
    fprintf (stderr, "hugetext %s: %s: %s\n", answer->verb, name, problem);
}

void
answer_end (struct answer *answer)
{
  json_object_object_add (answer->all, "problems", answer->problems);
  if (answer->json)
    json_print (stdout, answer->all, false);
  else
    json_object_put (answer->all);
}
