/* A lease on the memory of another process: one of us works on it at a time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   TECHNICAL NOTE: the lease is a word in the memory itself, in the slack of
   its vDSO.  So it holds for all processes that share that memory, and for all
   of us: in whatever mount of procfs, namespace of processes or container. And
   nobody can hold it who may not write to that memory.

   A process cannot compare and exchange a word of another process's memory
   without code of that process running, for which one would need the lease. To
   read and to write it is enough (Fischer's mutual exclusion):

     it is free          read it
     write our own       within 10 ms of that, by the clock; who was slower
                         does not get it, and waits
     wait 20 ms          a rival that has read it as free has written by then
     it is still ours    read it again: of several the last one to write has it

   Whoever dies does not give it back.  It says who that is, and if that cannot
   be told (in another namespace) it ends by itself: it says when.  Our own
   death comes before that: while we have it and something is stopped, watch.h
   ends us after WATCH_LIMIT, and it is renewed before each stop.

   The kernel copies it for children that are forked: there it ends, too, or
   is known for our own.  */

#ifndef LEASE_H
#define LEASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lease
{
  int memory;        /* /proc/PID/mem, -1: there is no lease.  */
  uintptr_t address; /* Of LEASE_SIZE bytes.  */
  uint64_t until, mark;
};

#define LEASE_SIZE 16

/* The number that stands for thread or process TID: its ID, and the namespace
   that this is of.  */
extern uint64_t lease_owner (pid_t tid);

/* Whether OWNER has ended.  In another namespace that cannot be known.  */
extern bool lease_owner_ended (uint64_t owner);

/* Take the lease at ADDRESS of MEMORY, which LEASE owns from then on.  Returns
   NULL, or that another has it, for longer than one that is dead would.  */
extern const char *lease_take (struct lease *lease, int memory,
                               uintptr_t address);

/* Have it last for another stop.  False if that comes too late: it may be
   another's.  */
extern bool lease_renew (struct lease *lease);

extern void lease_end (struct lease *lease);

#endif
