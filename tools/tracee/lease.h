/* The lease on the memory of another process: a lock with an expiry time, so
   that only one hugetext command at a time changes this memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   TECHNICAL NOTE: the lease is a word in the process's own memory, in the
   slack of its vDSO.  So one lease is enough for all processes that share the
   memory.  The lease also works between hugetext commands in different PID
   namespaces or containers.  Only a user who may write to the process's memory
   can take the lease on it.

   A command cannot take the lease by an atomic exchange: a thread of the
   process would have to execute the exchange, and the command must have the
   lease before it uses a thread of the process.  Plain reads and writes
   suffice (Fischer's mutual exclusion):

     read the word       it is free
     write one's own     within 10 ms after the read, by a clock that nobody
                         can set; a slower process does not get the lease,
                         and waits
     wait 20 ms          any rival that read a free word has written by then
     read it again       of several processes, the last to write has the lease

   A command that is killed does not release its lease.  The lease names its
   owner, so that others can see that the owner has ended.  An owner in another
   PID namespace cannot be looked up, so its lease expires.  The owner never
   works under an expired lease.  The command that has the lease renews it
   before each stop of the process.  The watchdog (watch.h) kills this command
   if the stop lasts longer than WATCH_LIMIT.  When the process forks, the
   kernel copies the lease to the memory of the child.  If a command works on a
   child and finds a copy of the command's own lease in the child's memory, the
   command treats the copy as free.  If the command finds a copy of another
   command's lease, it waits until the lease has expired or the other command
   has ended.  */

#ifndef LEASE_H
#define LEASE_H

#include "util/problem.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lease
{
  int memory;        /* The descriptor of /proc/PID/mem, or -1 if this command
                        does not have the lease on the memory of the
                        process.  */
  uintptr_t address; /* The address of the LEASE_SIZE bytes of the lease.  */
  uint64_t until, mark;
};

#define LEASE_SIZE 16

/* Return a number that identifies the thread or process TID.  The number
   consists of TID and the inode number of its PID namespace.  */
extern uint64_t lease_owner (pid_t tid);

/* Return true if the thread or process OWNER has ended.  Return false if OWNER
   is in another PID namespace, because the command cannot look up such an
   owner.  */
extern bool lease_owner_ended (uint64_t owner);

/* Take the lease on the memory of another process, and store it in LEASE.  The
   lease is at ADDRESS in this memory.  MEMORY is the descriptor of the memory,
   which lease_end closes.  If another command has the lease, wait for it.
   Return false if the other command keeps the lease for longer than a killed
   command could.  */
extern bool lease_take (struct lease *lease, int memory, uintptr_t address,
                        struct problem *problem);

/* Renew LEASE, the lease on a process's memory, before the command stops the
   process again.  Return false if the lease has expired, so that another
   command may have taken it.  */
extern bool lease_renew (struct lease *lease);

extern void lease_end (struct lease *lease);

#endif
