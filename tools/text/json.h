/* JSON about the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef JSON_H
#define JSON_H

#include "host/process.h"
#include "text/columns.h"
#include "text/cost.h"
#include "text/objtext.h"
#include "util/json.h"

/* Return the value of COLUMN for SUMS.  */
extern struct json_object *json_column (enum column column,
                                        const struct text_sums *sums);

/* Add the columns for SUMS to OBJECT.  */
extern void json_set_sums (struct json_object *object,
                           const struct text_sums *sums);

/* Return the percentage VALUE as a JSON number with two decimals, or NULL if
   VALUE is below 0.  */
extern struct json_object *json_percent (double value);

/* Return an array with the names of the backings whose bits are set in
   BACKING.  */
extern struct json_object *json_backings (unsigned int backing);

/* Return a JSON object that describes PROCESS and its objects OBJECTS.  EXE is
   the program of PROCESS.  LOADER is the loader of PROCESS, or NULL if
   unknown.  */
extern struct json_object *json_process (const struct process *process,
                                         const char *exe, const char *loader,
                                         const struct object_list *objects);

/* Return a JSON object with the members of COST.  */
extern struct json_object *json_cost (const struct cost *cost);

/* Return a JSON object with the settings in SETTINGS that do not come from
   options, each with its value and source.  */
struct settings;
extern struct json_object *json_settings (const struct settings *settings);

/* The output of a verb of the command, as text or JSON.  The functions whose
   names begin with "answer" collect the JSON of the output, and report
   problems.  */
struct answer
{
  const char *verb;
  bool json;                    /* True to print the answer as JSON.  */
  struct json_object *all;      /* The JSON object, with "version" and the
                                   keys of the verb.  */
  struct json_object *problems; /* The array of problems in JSON.  */
  bool streamed;                /* True if the beginning of the JSON has
                                   already been printed.  */
  size_t items;                 /* The number of items of the array that have
                                   been printed.  */
};

/* Begin ANSWER for the verb VERB.  */
extern void answer_begin (struct answer *answer, const char *verb, bool json);

/* Add an array under KEY, and return it.  */
extern struct json_object *answer_array (struct answer *answer,
                                         const char *key);

/* Begin an array under KEY.  The items of the array are printed immediately,
   not collected, because a machine has many processes, and an item may be
   large.  Before the array, print the JSON that was collected so far.  If the
   answer is JSON, the caller must pass each item to answer_item, and call no
   other function between this function and answer_end.  */
extern void answer_stream (struct answer *answer, const char *key);

/* Print ITEM of the array begun by answer_stream, and free ITEM.  */
extern void answer_item (struct answer *answer, struct json_object *item);

/* Add PROBLEM to the JSON.  PROBLEM is about PROCESS or, if PROCESS is NULL,
   about NAME.  */
extern void answer_note (struct answer *answer, const struct process *process,
                         const char *name, const char *problem);

/* Add PROBLEM to the JSON (answer_note), and print it on standard error.  */
extern void answer_problem (struct answer *answer,
                            const struct process *process, const char *name,
                            const char *problem);

/* If ANSWER is JSON, print it with "problems".  Free ANSWER.  */
extern void answer_end (struct answer *answer);

#endif
