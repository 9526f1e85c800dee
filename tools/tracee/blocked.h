/* System calls that a stop interrupts: what the thread notices, and how the
   command resumes the thread so that it notices little.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel restarts most calls that a stop has interrupted, and the program
   does not notice.  Some calls fail with EINTR, and some calls that move bytes
   return the number moved so far, which is less than requested: see
   signal(7).  */

#ifndef BLOCKED_H
#define BLOCKED_H

#include <stdbool.h>
#include <sys/types.h>

/* The effect of a stop on a thread, harmless effects first.  */
enum blocked
{
  BLOCKED_AGAIN,   /* The system call continues as if it had not been
                      stopped.  */
  BLOCKED_NOT,     /* The thread is running, and the kernel does not tell its
                      PC.  */
  BLOCKED_PERHAPS, /* The call fails with EINTR if it has a timeout and may not
                      be restarted (limit.h).  */
  BLOCKED_EINTR,   /* The call fails with EINTR if it may not be restarted, and
                      has a timeout.  */
  BLOCKED_SHORT,   /* The thread must not be stopped: its call would return
                      fewer bytes.  */
};

/* Return the effect of a stop on thread TID of process PID.  Set *SINCE to a
   time, from thread_now, at which TID had not yet begun any call that may fail
   with EINTR; 0 if TID is already in such a call.  */
extern enum blocked blocked_in (pid_t pid, pid_t tid, long *since);

/* Whether thread TID receives signals to the whole process PID: the first
   thread receives signals sent by kill, and the thread that forked a child
   receives SIGCHLD when the child ends.  The kernel drops a signal that the
   process ignores, unless the receiving thread is traced.  In that case the
   kernel queues the signal, and interrupts one of the threads that are not
   stopped.  So, if possible, the command traces a receiving thread only while
   it traces all other threads.  */
extern bool blocked_is_addressed (pid_t pid, pid_t tid);

/* Return the state of thread TID, as in /proc/PID/stat; 'X' also for a kernel
   thread, which never runs the program and could not make system calls for the
   command.  */
extern char blocked_state (pid_t tid);

/* A thread that might be stopped.  */
struct blocked_thread
{
  pid_t tid;
  enum blocked how;
  long since; /* A time set by blocked_in (its SINCE).  */
};

/* Fill LIST, which has space for ROOM threads, with the threads of PID whose
   system calls a stop would not cut short.  Return the number of these
   threads, or -1 if PID has ended.  Set SPARED if PID has other threads.  */
extern int blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                            bool *spared);

/* Prepare thread TID, at an event stop of ptrace or a signal stop, to
   continue: make it restart the interrupted system call if the kernel would
   not do so, or if a seccomp filter would forbid the kernel's way to do so.
   SINCE is from blocked_in; 0 if unknown.  */
extern void release_prepare (pid_t tid, long since);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Detach from all threads that stopped only after the command had given them
   up.  */
extern void release_stopped (void);

#endif
