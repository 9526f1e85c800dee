/* Stuck readers: helper processes of root's commands that do not end although
   the command has killed them, or has tried to without CAP_KILL.
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
  /* The maximum number of stuck readers because of all users other than root.
     A user, or a container, may cause half of those that all others leave of
     it: 8 if the others cause none.  So two users cannot use up the maximum,
     and a third user's processes are still inspected.  Root's processes in
     this PID namespace, and the mount namespace of this or the first process,
     are always inspected.  The services of
     systemd/hugetext-store.service and examples/hugetext-metrics.service may
     have at most 32 tasks each, so both maximums together leave 8.  */
  STUCK_MOST = 16,
  /* The maximum number of stuck readers because of files without a known
     owner.  These do not count above, and vice versa.  */
  STUCK_UNKNOWN_MOST = 8,
};

/* A user ID that no process has, for processes whose user cannot be read.  */
#define STUCK_UNKNOWN ((uid_t) -1)

/* Return the user who is responsible for process PID: its owner or, if PID
   cannot be traced, the user who started it.  In a user namespace one user may
   have many IDs (subuid(5)).  For a process in such a namespace, return the
   user who made the outermost one; if root made it, return the namespace's
   inode number, which is larger than user IDs.  For a child of this process
   return root, even if the child has changed its user: a dry run is nobody.
   Call this before PID is inspected: afterwards PID may have ended, or
   executed a program with root's rights.  */
extern uid_t stuck_owner (pid_t pid);

/* Return a number for the file PATH that no process has, for stuck_note and
   stuck_because_of instead of a process ID.  */
extern pid_t stuck_key (const char *path);

/* Record that READER was killed and may not end, because of process PID of
   OWNER.  PID is 0 if the process is not known.  Only root makes such
   notes.  */
extern void stuck_note (pid_t reader, pid_t pid, uid_t owner);

/* Kill READER, a child of this process, and wait for its end.  If it does not
   end within a second, record this as stuck_note does.  */
extern void stuck_end (pid_t reader, pid_t pid, uid_t owner);

/* Whether there are notes about readers that still exist.  */
extern bool stuck_any (void);

/* Whether a reader is stuck because of process PID of OWNER, or OWNER has the
   maximum number of stuck readers.  Any user can make one of root's processes
   map a file whose server does not answer, so one such process says nothing
   about root's other processes.  PID is 0 for a file of root, for which no
   user can make a reader wait.  */
extern bool stuck_because_of (pid_t pid, uid_t owner);

#endif
