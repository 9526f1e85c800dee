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
  BLOCKED_PERHAPS, /* It is unknown whether the call has a timeout.  A call
                      with a timeout fails with EINTR if the command must not
                      restart it (limit.h).  */
  BLOCKED_EINTR,   /* The call has a timeout, and fails with EINTR if the
                      command must not restart it.  */
  BLOCKED_SHORT,   /* The thread must not be stopped, because its call would
                      return fewer bytes, or be made twice.  */
};

/* Find out, before stopping threads of process PID, whether any thread of PID
   has a seccomp filter.  Without a filter, no other process makes system
   calls for a thread, so blocked_in need not check for such calls.  */
extern void blocked_prepare (pid_t pid);

/* Return what a stop would do to thread TID of process PID.  Set *SINCE to a
   time (of thread_now) at which TID had not yet begun a call that may fail
   with EINTR.  If TID is already in a call that may fail with EINTR, set
   *SINCE to 0, because the time is unknown.  */
extern enum blocked blocked_in (pid_t pid, pid_t tid, long *since);

/* Begin to trace thread TID of process PID with OPTIONS (thread_seize), and
   set *SINCE (blocked_in).  If TID is in a call that must not be stopped, set
   errno to EBUSY and return false.  Call this function directly before
   PTRACE_INTERRUPT, because at any moment TID may begin a call that must not
   be stopped.  After thread_seize it would be too late to spare the thread,
   because the kernel detaches only from a thread that has stopped.  */
extern bool blocked_seize (pid_t pid, pid_t tid, unsigned long options,
                           long *since);

/* Return true if thread TID is the first to receive some signals that are sent
   to process PID as a whole.  The first thread of a process receives the
   signals that kill sends.  A thread that has forked a child receives SIGCHLD
   when the child ends.  If the process ignores a signal, the kernel drops the
   signal, unless the receiving thread is traced.  If the receiving thread is
   traced, the kernel queues the signal, and interrupts one of the threads that
   are not stopped.  Therefore, if possible, the command traces all other
   threads first, and then the threads that receive the process's signals.  */
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

/* Fill LIST, which has ROOM elements, with those threads of process PID that
   can be stopped without making a system call return fewer bytes.  Return the
   number of threads in LIST, or -1 if PID has ended.  If the function leaves
   out a thread, it sets the member of OTHERS that stands for the reason.  */
extern int blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                            struct blocked_others *others);

/* Prepare thread TID to continue from an event stop of ptrace or a signal
   stop.  If the stop has interrupted a system call, make the thread itself
   restart the call in two cases: the kernel would not restart it, or a seccomp
   filter forbids the kernel's way of restarting it.  SINCE comes from
   blocked_in, or is 0 if it is unknown.  */
extern void release_prepare (pid_t tid, long since);

/* Detach from thread TID, which has stopped with STATUS.  */
extern void release_thread (pid_t tid, int status);

/* Late threads are threads that did not stop in time.  Detach from those late
   threads that have stopped since then.  */
extern void release_stopped (void);

#endif
