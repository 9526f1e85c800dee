/* Children that a process forks while it temporarily has mappings and
   descriptors for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A child does not inherit the staging area (MADV_DONTFORK), unless it is
   forked between the call that maps the area and the call that advises the
   kernel.  A child inherits a descriptor of the command if the descriptor is
   open when the child is forked.  Because the process may fork a child at any
   moment, the command records each mapping and each descriptor before the
   process makes it.  When the command has changed the process, it searches the
   process's children for the recorded mappings and descriptors.  */

#ifndef ATTACH_CHILDREN_H
#define ATTACH_CHILDREN_H

#include "tracee/refusal.h"
#include "util/fileid.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The mappings and the descriptor that children may have inherited from the
   command's work in their parent.  While the command works on a process, the
   process may fork children, which inherit the command's mappings and a
   descriptor.  The members are the mappings and the descriptor that the
   children inherit.  The struct is in memory that the worker shares with the
   command, so that the command can find these children even if the worker is
   killed.  */
struct traces
{
  struct
  {
    uintptr_t start, end;
  } ranges[8]; /* The address ranges that the command has mapped in the
                  process.  */
  size_t count;
  long since; /* A time (from children_now) before the process made its
                 first mapping or descriptor for the command.  */
  long file;  /* The last descriptor that the process opened for the
                 command, or -1 if there is none.  */
  struct fileid image; /* The file that the descriptor FILE refers to.  */
};

/* The value TRACES_ANY_FILE of FILE means that the file may be open, but that
   the number of its descriptor is unknown.  */
#define TRACES_ANY_FILE (-2)

/* Return the present time in clock ticks since the boot, the unit of the start
   times of processes.  */
extern long children_now (void);

/* Record that the command is about to map [START, END), where the process has
   nothing mapped.  */
extern void traces_add (struct traces *traces, uintptr_t start, uintptr_t end);

/* Find each child that process PID has forked since TRACES->since.  Make each
   of these children unmap the ranges of TRACES, and close the descriptor of
   TRACES.  Try again for some seconds if a child cannot be stopped.  FACTS
   identify PID and its program.  A process whose facts differ from FACTS is
   not a child of PID, or has executed another program, so the function does
   not change it.  If the worker was killed (KILLED), PID itself removes the
   mappings and the descriptor, and a child that PID forks meanwhile may still
   inherit the mappings and the descriptor.  */
extern void children_clear (pid_t pid, const struct tracee_facts *facts,
                            const struct traces *traces, bool killed);

#endif
