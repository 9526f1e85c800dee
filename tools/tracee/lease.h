/* The lease on the memory of another process: only one hugetext command at a
   time works on this memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   TECHNICAL NOTE: the lease is a word in the process's own memory, in the
   slack of its vDSO.  So one lease is enough for all processes that share the
   memory.  The lease also works for every hugetext command, in any PID
   namespace or container.  A user who may not write to the process's memory
   cannot hold the lease.

   An atomic exchange of a word in another process's memory would need code
   that runs in the other process, and this code would itself need the lease.
   Plain reads and writes suffice (Fischer's mutual exclusion):

     read the word       it is free
     write one's own     within 10 ms after the read, by a clock that nobody
                         can set; a slower process does not get the lease,
                         and waits
     wait 20 ms          any rival that read a free word has written by then
     read it again       of several processes, the last to write has the lease

   A command that is killed does not release its lease.  The lease names its
   owner, so that others can see that the owner has ended.  An owner in another
   PID namespace cannot be looked up, so its lease expires.  The owner never
   works under an expired lease.  The owner renews the lease before each stop,
   and the watchdog (watch.h) kills the owner if the stop lasts longer than
   WATCH_LIMIT.  The kernel copies the lease to forked children.  In a forked
   child, the command recognizes its own lease, and waits until another
   command's lease has expired.  */

#ifndef LEASE_H
#define LEASE_H

#include "util/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lease
{
  int memory;        /* The descriptor of /proc/PID/mem, or -1 if this command
                        does not have the lease.  */
  uintptr_t address; /* The address of the LEASE_SIZE bytes of the lease.  */
  uint64_t until, mark;
};

#define LEASE_SIZE 16

/* Return a number that identifies the thread or process TID: the number is
   made of the ID and of the PID namespace of this ID.  */
extern uint64_t lease_owner (pid_t tid);

/* Return true if the thread or process OWNER has ended.  Return false if OWNER
   is in another PID namespace, because the command cannot look up such an
   owner.  */
extern bool lease_owner_ended (uint64_t owner);

/* Take the lease at ADDRESS of MEMORY, a descriptor that LEASE then owns.  If
   another process has the lease, wait.  Return false if the other process
   keeps the lease for longer than the lease of a dead process would last.  */
extern bool lease_take (struct lease *lease, int memory, uintptr_t address,
                        struct problem *problem);

/* Renew LEASE for another stop.  Return false if the lease has expired, so
   that another process may have taken it.  */
extern bool lease_renew (struct lease *lease);

extern void lease_end (struct lease *lease);

#endif
