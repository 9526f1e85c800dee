/* The children that a process forks while it has the command's mappings and
   descriptors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Children do not inherit the staging area (MADV_DONTFORK), unless they are
   forked between the two calls that map it and advise the kernel.  Children
   inherit the command's descriptor while it is open.  So the command records
   each mapping and descriptor before the process makes it, and searches the
   children for them at the end.  */

#ifndef ATTACH_CHILDREN_H
#define ATTACH_CHILDREN_H

#include "tracee/refusal.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* What children may have inherited from the command's work in their parent:
   mappings and a descriptor.  These traces are in memory that the command
   shares with its worker, so that the command can search the children if the
   worker is killed.  */
struct traces
{
  struct
  {
    uintptr_t start, end;
  } ranges[8]; /* The ranges that were mapped.  */
  size_t count;
  long since;        /* The time, from children_now, at which the process had
                        no traces.  */
  long file;         /* The last descriptor that the process opened for the
                        command; -1 for none.  */
  struct stat image; /* The file of that descriptor.  */
};

/* The value of FILE if the file may be open under an unknown descriptor.  */
#define TRACES_ANY_FILE (-2)

/* Return the present time in clock ticks, as in the start times of
   processes.  */
extern long children_now (void);

/* Record that the command is about to map [START, END), where the process has
   no mapping.  */
extern void traces_add (struct traces *traces, uintptr_t start, uintptr_t end);

/* Make each child that process PID has forked since TRACES->since unmap the
   ranges of TRACES and close their descriptor.  FACTS are the facts about PID.
   The function does not change a process that cannot be a child of PID by its
   facts.  */
extern void children_clear (pid_t pid, const struct tracee_facts *facts,
                            const struct traces *traces);

#endif
