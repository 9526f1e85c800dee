/* The parts of "hugetext status".
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
  const char *file;    /* The file for metrics, or NULL.  */
  unsigned int flags;  /* Flags for inspect.  */
  const char *service; /* The service whose processes are shown, or NULL.  */
  char **names;        /* PIDs and names, or an empty list.  */
};

/* The answer, in JSON, and the sums.  */
struct status_output
{
  struct answer answer;
  struct json_object *processes;
  bool first; /* No process has been printed yet.  */
  struct totals totals;
};

extern void status_begin (const struct status_options *options,
                          struct status_output *output);

/* Print the cost of the shown processes together, if they are SEVERAL, and the
   state of the store.  False if that cannot be written.  */
extern bool status_end (const struct status_options *options,
                        struct status_output *output, bool several);

/* Count FOUND, and set SUM to the cost of its text.  */
extern void status_count (struct status_output *output,
                          const struct inspection *found, struct cost *sum);

/* Return FOUND, which costs COST, in JSON.  */
extern struct json_object *status_process_json (const struct inspection *found,
                                                const struct cost *cost);

/* Show all processes.  False if some could not be read.  */
extern bool status_machine (const struct status_options *options,
                            struct status_output *output);

#endif
