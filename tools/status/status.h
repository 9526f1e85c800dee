/* The public header of the module "status": the output of "hugetext status".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STATUS_H
#define STATUS_H

#include "status/totals.h"
#include "text/json.h"

struct status
{
  bool each, json, metrics; /* The options.  If EACH is true, the output
                               contains a line for each process instead of each
                               service.  */
  const char *file;         /* The file for metrics, or NULL.  */
  struct answer answer;
  bool printed; /* True if any output has been printed.  */
  struct totals totals;
};

/* Begin the output of STATUS, whose options are set.  */
extern void status_begin (struct status *status);

/* Show the objects of process PID, which the user has selected by NAME.
   Return false if the process cannot be inspected.  */
extern bool status_process (struct status *status, pid_t pid,
                            const char *name);

/* Show the COUNT processes of LIST, which the user has selected by NAME, in
   two tables: one with a line for each process, and one with a line for each
   object of any of these processes.  In JSON, show each process in the format
   of status_process.  Return false if a process cannot be inspected.  */
extern bool status_several (struct status *status, const pid_t *list,
                            size_t count, const char *name);

/* Show all processes.  Return false if there are no processes in /proc.  */
extern bool status_machine (struct status *status);

/* Complete the output: print the rest of the JSON, the metrics, or how much
   memory huge text uses, depending on the format.  Return false if the metrics
   cannot be written.  */
extern bool status_end (struct status *status);

/* Return the JSON for FOUND, whose cost has been computed.  */
extern struct json_object *status_json (const struct inspection *found);

#endif
