/* The children that a process forks while it has memory of the command's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Children do not get the staging area beside the text (MADV_DONTFORK), unless
   they are forked between the two calls that map it and advise the kernel.
   They get a descriptor as long as it is open.  So the command notes both
   before it makes them, and looks for them in children in the end.  */

#ifndef ATTACH_CHILDREN_H
#define ATTACH_CHILDREN_H

#include "tracee/refusal.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Traces of the command that children may have: mappings and a descriptor.
   They are in memory that the command shares with its own child that does the
   work, so that the command can look for them if that child is killed.  */
struct traces
{
  struct
  {
    uintptr_t start, end;
  } ranges[8]; /* The ranges that were mapped.  */
  size_t count;
  long since;        /* When they were empty, by children_now.  */
  long file;         /* The last descriptor, -1 if there was none,  */
  struct stat image; /* open on this file.  */
};

/* The descriptor's number is not known; the file may have been opened.  */
#define TRACES_ANY_FILE (-2)

/* Return the present time, as the kernel has it for the start of processes: in
   clock ticks.  */
extern long children_now (void);

/* Note that the command is about to map [START, END), where the process has no
   mapping.  */
extern void traces_add (struct traces *traces, uintptr_t start, uintptr_t end);

/* Have the children of process PID, which has FACTS, that were forked since
   TRACES were empty, unmap the ranges and close the descriptor of TRACES.  */
extern void children_clear (pid_t pid, const struct tracee_facts *facts,
                            const struct traces *traces);

#endif
