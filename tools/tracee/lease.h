/* The lease on the memory of another process: one hugetext at a time works on
   it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: the lease is a word in the process's own memory, in the
   slack of its vDSO.  So it holds for all processes that share that memory,
   and for every hugetext, in whatever mount of procfs, PID namespace or
   container it runs.  A user who may not write to that memory cannot hold the
   lease.

   A process cannot compare and exchange a word of another process's memory
   without having code run there, for which it would need the lease.  Reading
   and writing are enough (Fischer's mutual exclusion):

     it is free          read it
     write our own       within 10 ms of that, by the clock; who was slower
                         does not get it, and waits
     wait 20 ms          a rival that has read it as free has written by then
     it is still ours    read it again: of several the last one to write has it

   A command that dies does not give the lease back.  The lease names its
   owner, and has an end for owners that cannot be looked up (in another
   namespace).  The owner's own death comes before that end: while it has the
   lease and something is stopped, watch.h kills it after WATCH_LIMIT, and it
   renews the lease before each stop.  The kernel copies the lease to forked
   children: there it ends, too, or is recognised as the command's own.  */

#ifndef LEASE_H
#define LEASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lease
{
  int memory;        /* /proc/PID/mem, -1 if there is no lease.  */
  uintptr_t address; /* Address of the lease's LEASE_SIZE bytes.  */
  uint64_t until, mark;
};

#define LEASE_SIZE 16

/* Return the number that identifies thread or process TID: its ID, and the PID
   namespace of that ID.  */
extern uint64_t lease_owner (pid_t tid);

/* Whether OWNER has ended.  An owner in another PID namespace cannot be looked
   up.  */
extern bool lease_owner_ended (uint64_t owner);

/* Take the lease at ADDRESS of MEMORY, which LEASE owns from then on.  Return
   NULL, or that another process has the lease for longer than a dead one
   would.  */
extern const char *lease_take (struct lease *lease, int memory,
                               uintptr_t address);

/* Renew LEASE for another stop.  False if that comes too late: another process
   may have the lease.  */
extern bool lease_renew (struct lease *lease);

extern void lease_end (struct lease *lease);

#endif
