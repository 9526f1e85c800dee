/* Stuck readers: processes that read for root, and that the kernel does not
   let end.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A reader that waits for a file whose server does not answer may survive
   SIGKILL until the server answers, and each further inspection of the same
   process would add one.  So root's commands leave notes for one another.  */

#ifndef STUCK_H
#define STUCK_H

#include <stdbool.h>
#include <sys/types.h>

enum
{
  /* The most stuck readers because of one user's processes, if the user is not
     root: then the command does not inspect the user's other processes.  */
  STUCK_MOST = 8,
  /* The most stuck readers because of all such users together: then the
     command inspects only root's processes.  The store's service may have at
     most 32 tasks, and root's processes need some of them.  */
  STUCK_ALL_MOST = 16,
};

/* A user ID of no process, for processes whose user cannot be read.  */
#define STUCK_UNKNOWN ((uid_t) -1)

/* Return who answers for process PID: its owner; if it cannot be traced, the
   user who started it.  In a user namespace one user may have many IDs
   (subuid(5)): then it is the user who made the outermost such namespace, or
   if root did, the namespace's own number, which is larger than IDs of users
   are.  A child of this process is root's, whoever it has become: a rehearsal,
   which is nobody.  Call this before the process is inspected: afterwards it
   may have ended, or executed a program with root's rights.  */
extern uid_t stuck_owner (pid_t pid);

/* Return a number for the file PATH that no process has, for stuck_note and
   stuck_because_of instead of a process's.  */
extern pid_t stuck_key (const char *path);

/* Note that READER was killed and may not end, because of process PID of
   OWNER; PID is 0 if it is not known which.  Nothing is noted if this user is
   not root.  */
extern void stuck_note (pid_t reader, pid_t pid, uid_t owner);

/* Whether there are notes about readers that still exist.  */
extern bool stuck_any (void);

/* Whether process PID of OWNER keeps a reader, or OWNER's processes, or those
   of all users other than root, keep as many as they may.  Any user can make
   root's processes map a file that does not answer, so one of them says
   nothing about the others; PID is 0 for a file of root's, which nobody can
   make wait.  Readers of STUCK_UNKNOWN have a limit of their own.  */
extern bool stuck_because_of (pid_t pid, uid_t owner);

#endif
