/* Stuck readers: processes that read for root, and that the kernel keeps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A reader that waits for a file whose server does not answer may stay after
   SIGKILL, until the server answers, and each look at the same process would
   leave another one.  So root's commands leave notes for one another.  */

#ifndef STUCK_H
#define STUCK_H

#include <stdbool.h>
#include <sys/types.h>

enum
{
  /* The most readers that the processes of a user other than root may keep:
     then the rest of his is not asked about.  */
  STUCK_MOST = 8,
  /* The most that all these users together may keep: then no process but
     root's is asked about.  The store's service has 32 tasks at most, and root
     has to be left some.  */
  STUCK_ALL_MOST = 16,
};

/* A user whom no process has: of processes whose user cannot be read.  */
#define STUCK_UNKNOWN ((uid_t) -1)

/* Return whose process PID is: who has started it if it cannot be traced.  To
   be called before the process is looked at: after that it may have ended, or
   have executed a program with root's rights.  */
extern uid_t stuck_owner (pid_t pid);

/* Note that READER has been killed, and may stay, because of process PID, of
   OWNER.  Nothing is noted for a user other than root.  */
extern void stuck_note (pid_t reader, pid_t pid, uid_t owner);

/* Whether there are notes about readers that are there still.  */
extern bool stuck_any (void);

/* Whether process PID of OWNER keeps a reader, or OWNER's processes, or those
   of all users other than root, keep as many as they may.  Any user can have
   root's processes map a file that does not answer: that says nothing about
   root's others.  */
extern bool stuck_because_of (pid_t pid, uid_t owner);

#endif
