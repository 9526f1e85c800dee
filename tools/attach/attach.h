/* The door of attach: put the text of a process on huge pages from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_H
#define ATTACH_H

#include "object/settings.h"
#include "text/json.h"

#include <stdbool.h>
#include <sys/types.h>

/* A request: the work to do on processes.  */
struct attach_request
{
  struct settings settings; /* Settings that come before the process's own.  */
  bool undo;                /* Restore the text that attach has replaced.  */
  bool dry_run;             /* Only say how many blocks would change.  */
};

/* The answer to a request, as text or JSON.  */
struct attach_answer
{
  struct answer answer;
  struct json_object *processes; /* The array of processes in JSON.  */
  bool printed;                  /* A process has been printed before.  */
};

/* Carry out REQUEST on process PID, which the user calls NAME.  Return whether
   everything requested has been done; ANSWER says what has not.  */
extern bool attach_process (const struct attach_request *request, pid_t pid,
                            const char *name, struct attach_answer *answer);

/* Put the text of a static program, which no loader loads, on huge pages
   between its execution and its first instruction.  This process executes the
   program, so that the program has our process ID, parent and all else.  A
   helper does the work: a child of a child of ours that is an orphan by then,
   because the program must not find a child that it has not made.  The helper
   is gone before the program begins; if it is killed, the program begins as
   usual.

   Have the helper wait for this process to execute FILE, which calls itself
   NAME.  Return NULL, or why that is not possible, in static memory.  The
   helper reports later problems itself, by SAY.  */
extern const char *attach_at_exec (const char *file, const char *name,
                                   void (*say) (const char *format, ...));

#endif
