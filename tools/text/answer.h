/* The answer of a verb: JSON in the end, and problems as they come.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANSWER_H
#define ANSWER_H

#include "text/json.h"

struct answer
{
  const char *verb;
  bool json;                    /* It is printed as JSON.  */
  struct json_object *all;      /* The JSON: "version", and what the verb
                                   adds.  */
  struct json_object *problems; /* An array.  */
};

/* Begin the ANSWER of VERB.  */
extern void answer_begin (struct answer *answer, const char *verb, bool json);

/* Add an array under KEY, which is returned.  */
extern struct json_object *answer_array (struct answer *answer,
                                         const char *key);

/* Note in the JSON that PROCESS, or NAME of a process that is not known or of
   something else, has PROBLEM.  PROCESS may be NULL.  */
extern void answer_note (struct answer *answer, const struct process *process,
                         const char *name, const char *problem);

/* The same, and say so on standard error.  */
extern void answer_problem (struct answer *answer,
                            const struct process *process, const char *name,
                            const char *problem);

/* Print ANSWER, with "problems", if it is JSON, and free it.  */
extern void answer_end (struct answer *answer);

#endif
