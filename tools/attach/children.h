/* Children that a process forks while memory of the command's is in it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What is mapped beside the text children do not get, but if they are forked
   between the call that maps it and the one that says so (MADV_DONTFORK); a
   descriptor they get as long as it is open.  So that is noted before it is
   made, and looked for in children in the end.  */

#ifndef ATTACH_CHILDREN_H
#define ATTACH_CHILDREN_H

#include "tracee/refusal.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Memory of the command's that children may have.  The command has it in
   memory that it shares with the child of its own that does the work, so that
   it can look for it if that was killed.  */
struct traces
{
  struct
  {
    uintptr_t start, end;
  } ranges[8]; /* Where something was mapped.  */
  size_t count;
  long file;         /* The last descriptor, -1: there was none, */
  struct stat image; /* of this file.  */
};

/* That its number is not known: it may have been opened.  */
#define TRACES_ANY_FILE (-2)

/* Note that something is about to be mapped at [START, END), where nothing of
   the process is.  */
extern void traces_add (struct traces *traces, uintptr_t start, uintptr_t end);

/* Have the children of process PID, which has FACTS, unmap and close what they
   have of TRACES.  */
extern void children_clear (pid_t pid, const struct tracee_facts *facts,
                            const struct traces *traces);

#endif
