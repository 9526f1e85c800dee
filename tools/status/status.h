/* Parts of "hugetext status".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STATUS_H
#define STATUS_H

#include "status/totals.h"
#include "text/answer.h"
#include "text/inspect.h"

struct status_options
{
  bool all, services, json, metrics;
  const char *file;    /* Where metrics go, or NULL.  */
  unsigned int flags;  /* Of inspect.  */
  const char *service; /* Its processes, or NULL.  */
  char **names;        /* PIDs and names, or none.  */
};

/* The answer, in JSON, and the sums.  */
struct status_output
{
  struct answer answer;
  struct json_object *processes;
  bool first; /* Nothing has been printed.  */
  struct totals totals;
};

extern void status_begin (const struct status_options *options,
                          struct status_output *output);

/* End with what the processes shown cost together, if they are SEVERAL, and
   with what the store holds.  False if that cannot be written.  */
extern bool status_end (const struct status_options *options,
                        struct status_output *output, bool several);

/* Count FOUND, and set SUM to what its text costs.  */
extern void status_count (struct status_output *output,
                          const struct inspection *found, struct cost *sum);

/* FOUND, which costs COST, in JSON.  */
extern struct json_object *status_process_json (const struct inspection *found,
                                                const struct cost *cost);

/* Show all processes that can be read.  False if there are others.  */
extern bool status_machine (const struct status_options *options,
                            struct status_output *output);

#endif
