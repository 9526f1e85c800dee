/* System calls that a stop interrupts: their effects on the thread, and how
   the command hides most of these effects from the program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most calls that a stop interrupts are restarted by the kernel, and the
   program notices nothing.  Some calls that a stop interrupts fail with EINTR.
   Some calls that transfer bytes return how many have been transferred so far,
   which is less than requested (signal(7)).  */

#ifndef BLOCKED_H
#define BLOCKED_H

#include <stdbool.h>
#include <sys/types.h>

/* The effects that a stop can have on a thread, from harmless to harmful.  */
enum blocked
{
  BLOCKED_AGAIN,   /* The system call continues as if it had not been
                      stopped.  */
  BLOCKED_NOT,     /* The thread is running, so the kernel does not report in
                      which system call the thread is.  */
  BLOCKED_PERHAPS, /* It is unknown whether the system call has a timeout.  If
                      the system call has a timeout, BLOCKED_EINTR describes
                      the effect of a stop.  */
  BLOCKED_EINTR,   /* The call has a timeout.  After the stop, the command
                      restarts the call.  If the restarted call would end too
                      late (limit.h), the command does not restart it, and the
                      call fails with EINTR.  */
  BLOCKED_SHORT,   /* The thread must not be stopped, because its call would
                      return fewer bytes, or be made twice.  */
};

/* Find out, before stopping threads of process PID, whether any thread of PID
   has a seccomp filter.  Only a seccomp filter can let a supervisor process
   make system calls for a thread (user notification).  If no thread has a
   filter, blocked_in does not check whether a supervisor makes a call for the
   thread.  */
extern void blocked_prepare (pid_t pid);

/* Return what a stop would do to thread TID of process PID.  If TID is not in
   a call that may fail with EINTR, set *SINCE to the present time (of
   thread_now): a later call that may fail with EINTR has begun after *SINCE.
   Set *SINCE to 0 if TID is already in a call that may fail with EINTR, or if
   TID's call is unknown.  */
extern enum blocked blocked_in (pid_t pid, pid_t tid, long *since);

/* Begin to trace thread TID of process PID with OPTIONS (thread_seize).  Set
   *SINCE in the same way as blocked_in.  If TID is in a call that must not be
   stopped, set errno to EBUSY and return false.  Call this function directly
   before PTRACE_INTERRUPT, because at any moment TID may begin a call that
   must not be stopped.  The function does not call thread_seize for a thread
   that must not be stopped, because ptrace can detach only from a stopped
   thread.  */
extern bool blocked_seize (pid_t pid, pid_t tid, unsigned long options,
                           long *since);

/* Return true if the kernel prefers thread TID when it delivers some of the
   signals for process PID.  For signals from kill, the kernel prefers the
   first thread of the process.  For the SIGCHLD of a child, the kernel prefers
   the thread that forked the child.  The kernel drops a signal that the
   process ignores, unless the preferred thread is traced.  If the preferred
   thread is traced and stopped, the kernel queues the signal and interrupts
   another thread, one that is not stopped.  Therefore, if possible, the
   command stops all other threads first, and then the preferred threads.  */
extern bool blocked_is_addressed (pid_t pid, pid_t tid);

/* Return the state letter of thread TID in the kernel's format
   (/proc/PID/stat).  Return 'X' for a kernel thread of the process: this
   thread never executes the program, and the command cannot make it execute
   system calls.  */
extern char blocked_state (pid_t tid);

/* A thread that might be stopped.  */
struct blocked_thread
{
  pid_t tid;
  enum blocked how;
  long since; /* The time that blocked_in has set in SINCE.  */
};

/* The reasons for which blocked_threads leaves out threads of the process.  */
struct blocked_others
{
  bool spared;  /* True if a thread was left out because its call must not be
                   stopped.  */
  bool waiting; /* True if a thread was left out because it would stop late: it
                   is waiting for a disk or for a child of vfork.  */
};

/* Fill LIST, which has ROOM elements, with the threads of process PID that may
   be stopped.  Leave out threads whose system call would return fewer bytes
   because of the stop, or would be made twice (BLOCKED_SHORT).  Also leave out
   threads that would stop late.  Return the number of threads in LIST, or -1
   if PID has ended.  If the function leaves out a thread, it sets the member
   of OTHERS that stands for the reason.  */
extern int blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                            struct blocked_others *others);

/* Prepare thread TID to continue from an event stop of ptrace or a signal
   stop.  If the stop has interrupted a system call that the kernel would not
   restart, make the thread restart the call, unless it would end too late
   (limit.h).  Also make the thread restart the call if the kernel would use
   restart_syscall, but a seccomp filter forbids restart_syscall.  SINCE comes
   from blocked_in, or is 0 if it is unknown.  */
extern void release_prepare (pid_t tid, long since);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Detach from each traced thread that did not stop in time when the command
   asked it to stop, but has stopped in the meantime.  */
extern void release_stopped (void);

#endif
