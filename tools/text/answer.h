/* The answer of a verb: problems as they come, and JSON at the end.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANSWER_H
#define ANSWER_H

#include "text/json.h"

struct answer
{
  const char *verb;
  bool json;                    /* The answer is printed as JSON.  */
  struct json_object *all;      /* The JSON object: "version", and the verb's
                                   own keys.  */
  struct json_object *problems; /* An array.  */
};

/* Begin the ANSWER of VERB.  */
extern void answer_begin (struct answer *answer, const char *verb, bool json);

/* Add an array under KEY, and return it.  */
extern struct json_object *answer_array (struct answer *answer,
                                         const char *key);

/* Note PROBLEM of PROCESS in the JSON.  If PROCESS is NULL, NAME names what
   has the problem.  */
extern void answer_note (struct answer *answer, const struct process *process,
                         const char *name, const char *problem);

/* Note PROBLEM in the same way, and print it on standard error.  */
extern void answer_problem (struct answer *answer,
                            const struct process *process, const char *name,
                            const char *problem);

/* Print ANSWER with "problems" if it is JSON, and free it.  */
extern void answer_end (struct answer *answer);

#endif
