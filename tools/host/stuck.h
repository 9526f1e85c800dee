/* Stuck readers: helper processes of root's commands that do not end although
   the command has sent them SIGKILL.  If the command lacks CAP_KILL, it cannot
   send SIGKILL to a process of the user nobody, so the process continues to
   run.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If a reader waits for a file whose server does not answer, SIGKILL may not
   end the reader until the server answers.  Each further inspection of a
   process that blocks readers would add one more stuck reader.  Therefore a
   command of root that leaves a stuck reader behind writes a note about the
   reader into a file, and later commands of root read the notes.  */

#ifndef STUCK_H
#define STUCK_H

#include <stdbool.h>
#include <sys/types.h>

enum
{
  /* The maximum number of readers that may be stuck because of files and
     processes of all users other than root.  The limit for one user, or one
     container, is (STUCK_MOST - N) / 2, where N is the number of stuck readers
     that other users except root have caused.  For example, if N is 0, the
     limit for one user is 16 / 2 = 8.  Because of the limit for one user, two
     users cannot cause STUCK_MOST stuck readers, so root's commands can still
     inspect the processes of a third user.  A process of root is always
     inspected if it is in this PID namespace, and in the mount namespace of
     this process or of process 1.  The services hugetext-store.service (in
     systemd/) and hugetext-metrics.service (in examples/) may have at most 32
     tasks each.  If the number of stuck readers reaches both STUCK_MOST and
     STUCK_UNKNOWN_MOST, a service still has 8 tasks for its own work.  */
  STUCK_MOST = 16,
  /* The maximum number of stuck readers that are blocked by files without a
     known owner.  A reader that is blocked by a file without a known owner
     does not count towards STUCK_MOST.  */
  STUCK_UNKNOWN_MOST = 8,
};

/* A user ID that no process has, for processes whose user cannot be read.  */
#define STUCK_UNKNOWN ((uid_t) -1)

/* Facts about a process, which are found out before the process is inspected.
   After the inspection, the process may have ended, or may have executed a
   program with root's rights.  */
struct stuck_facts
{
  uid_t owner;      /* The user who is responsible for the process
                       (stuck_owner).  */
  char status[512]; /* The beginning of the process's file "status", or "".  If
                       STATUS is not "", OWNER is a preliminary value: it is
                       the responsible user only if STATUS shows that root
                       started the process.  No privileged process parses the
                       text of this file.  */
};

/* Return the facts about process PID.  The function needs only a few system
   calls, so callers may call it for each process.  */
extern struct stuck_facts stuck_remember (pid_t pid);

/* Return the facts about any process of USER.  */
extern struct stuck_facts stuck_user (uid_t user);

/* Return the user who is responsible for process PID: the owner of PID or, if
   PID has root's rights, the user who started PID.  If PID is in a user
   namespace, in which one user may have many IDs (subuid(5)), return the user
   who created the outermost user namespace around PID.  If root created this
   user namespace, return the inode number of the namespace in place of a user
   ID.  Inode numbers of namespaces are larger than any user ID.  If PID is a
   child of this process, return root even if the child runs as another user,
   as a dry run does.  Before Linux 6.13, this function starts a child if PID
   has root's rights.  */
extern uid_t stuck_owner (pid_t pid);

/* Return a number for the file PATH that is never a process ID.  Pass the
   result to stuck_note and stuck_because_of in place of a process ID.  */
extern pid_t stuck_key (const char *path);

/* Process PID may keep the kernel from ending READER, a child of this process
   that has been killed.  Add a note about READER to the file of notes.  FACTS
   are the facts about PID.  PID is 0 if the process is unknown.  If the user
   of this command is not root, do nothing.  */
extern void stuck_note (pid_t reader, pid_t pid,
                        const struct stuck_facts *facts);

/* Kill READER, a child of this process, and wait until it has ended.  If
   READER does not end within a second, leave a note (stuck_note).  */
extern void stuck_end (pid_t reader, pid_t pid,
                       const struct stuck_facts *facts);

/* Return true if the file of notes names a stuck reader that has not ended
   yet.  */
extern bool stuck_any (void);

/* Return true if process PID, which belongs to OWNER, must not be inspected
   now.  PID must not be inspected if a reader is already stuck because of PID,
   or if OWNER already causes the maximum number of stuck readers.  If OWNER is
   root, return true only if a reader is stuck because of PID itself.  Any user
   can make a process of root map a file whose server does not answer.
   Therefore, if a reader is stuck because of one process of root, root's other
   processes may still be inspected.  PID is 0 for a file that belongs to root,
   because no user can block a reader of this file.  */
extern bool stuck_because_of (pid_t pid, uid_t owner);

/* Return true if process PID must not be inspected now (stuck_because_of),
   because PID already blocks a reader, or because the processes of the user
   who is responsible for PID already block too many readers.  To determine the
   responsible user, the function may need a child process.  Therefore
   stuck_blocks determines the user only if there are so many stuck readers
   that one user can have reached the limit.  */
extern bool stuck_blocks (pid_t pid);

#endif
