/* The door of attach: put the text of a process on huge pages from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_H
#define ATTACH_H

#include "object/settings.h"
#include "text/answer.h"

#include <stdbool.h>
#include <sys/types.h>

/* The work on processes.  */
struct attach_request
{
  struct settings settings; /* In front of a process's own.  */
  bool undo;                /* Put back what attach has replaced.  */
  bool code;                /* Code made at run time instead of text.  */
  bool dry_run;             /* Only say how many blocks would change.  */
  double deadline; /* Milliseconds a thread may be stopped at once.  */
};

/* Where the answer goes.  */
struct attach_answer
{
  struct answer answer;
  struct json_object *processes; /* The processes of its JSON, an array.  */
  bool printed;                  /* A process has been, before.  */
};

/* Do what REQUEST says to process PID, which the user calls NAME.  Returns
   whether all that was wanted has been done; ANSWER has what was not.  */
extern bool attach_process (const struct attach_request *request, pid_t pid,
                            const char *name, struct attach_answer *answer);

/* Put the text of a static program on huge pages between its execution and
   its first instruction, since no loader loads it.  This very process executes
   the program, so that it has our process ID, parent and all the rest.  What
   works on it is a helper, a child of a child of ours, which is nobody's by
   then: the program must not find a child that it has not made.  The helper is
   gone before the program begins, and if it is killed the program begins as
   without us.

   Have the helper wait for this process to execute FILE, which calls itself
   NAME.  Returns NULL, or why it cannot be, in static memory.  What comes
   later the helper says itself, by SAY.  */
extern const char *attach_at_exec (const char *file, const char *name,
                                   void (*say) (const char *format, ...));

#endif
