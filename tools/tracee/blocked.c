/* System calls that a stop interrupts: their effects on the thread, and how
   the command hides most of these effects from the program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/blocked.h"
#include "tracee/limit.h"
#include "tracee/thread.h"
#include "tracee/filter.h"
#include "host/process.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Linux 5.11 and later have epoll_pwait2, with the same number on all
   machines.  */
#ifndef SYS_epoll_pwait2
#  define SYS_epoll_pwait2 441
#endif

/* The ways in which a system call takes its timeout.  */
enum limit
{
  NONE,         /* The kind of a system call that has no timeout.  */
  MILLISECONDS, /* Argument number ARG is the timeout in milliseconds; a
                   negative number means no timeout.  */
  TIME,         /* Argument number ARG points to the timeout, or is 0 if the
                   call has no timeout.  */
  SOCKET,       /* The call uses a socket, and the socket may have a timeout.
                   The command cannot read the socket's timeout, because the
                   command would need a duplicate of the program's descriptor,
                   and closing this duplicate may block because of a filesystem
                   (FUSE).  */
  RING,         /* The call is io_uring_enter, which may have a timeout.  */
};

/* System calls that, because of a stop, may fail with EINTR or return fewer
   bytes (signal(7); sock_intr_errno in the kernel's <net/sock.h>).  */
static const struct call
{
  long number;
  enum blocked how;
  enum limit limit;
  unsigned int arg;
} calls[] = {
#ifdef SYS_epoll_wait
  { SYS_epoll_wait, BLOCKED_EINTR, MILLISECONDS, 3 },
#endif
  { SYS_epoll_pwait, BLOCKED_EINTR, MILLISECONDS, 3 },
  { SYS_epoll_pwait2, BLOCKED_EINTR, TIME, 3 },
#ifdef SYS_semop
  { SYS_semop, BLOCKED_EINTR, NONE, 0 },
#endif
  { SYS_semtimedop, BLOCKED_EINTR, TIME, 3 },
  { SYS_rt_sigtimedwait, BLOCKED_EINTR, TIME, 2 },
  { SYS_io_getevents, BLOCKED_EINTR, TIME, 4 },
  { SYS_io_pgetevents, BLOCKED_EINTR, TIME, 4 },
  { SYS_io_uring_enter, BLOCKED_EINTR, RING, 0 },
  /* The kernel restarts ppoll and pselect6, unless it could not write the
     remaining time to the argument of the call.  */
  { SYS_ppoll, BLOCKED_AGAIN, TIME, 2 },
  { SYS_pselect6, BLOCKED_AGAIN, TIME, 4 },
  { SYS_accept, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_accept4, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_connect, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_recvfrom, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_recvmsg, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_read, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_readv, BLOCKED_PERHAPS, SOCKET, 0 },
  { SYS_recvmmsg, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_write, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_writev, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_pwrite64, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_pwritev, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_pwritev2, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_sendto, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_sendmsg, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_sendmmsg, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_sendfile, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_splice, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_vmsplice, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_tee, BLOCKED_SHORT, SOCKET, 0 },
  { SYS_copy_file_range, BLOCKED_SHORT, SOCKET, 0 },
};

static const struct call *
blocked_find_call (long number)
{
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i)
    if (calls[i].number == number)
      return &calls[i];
  return NULL;
}

/* Return true if CALL waits without a timeout.  */
static bool
is_forever (const struct call *call, const unsigned long argument[6])
{
  switch (call->limit)
    {
    case NONE:
      return true;
    case MILLISECONDS:
      return (int) argument[call->arg] < 0;
    case TIME:
      return argument[call->arg] == 0;
    case RING:
      return (argument[3] & LIMIT_RING_EXTENDED) == 0;
    default:
      return false;
    }
}

/* Return the timeout of CALL, which thread TID is making, in nanoseconds.
   Return LIMIT_UNKNOWN if the timeout is unknown.  */
static int64_t
limit_of (pid_t tid, const struct call *call, const unsigned long argument[6])
{
  switch (call->limit)
    {
    case MILLISECONDS:
      return (int) argument[call->arg] * INT64_C (1000000);
    case TIME:
      return limit_time (tid, argument[call->arg]);
    case RING:
      return limit_ring (tid, argument[3], argument[4]);
    default:
      return LIMIT_UNKNOWN;
    }
}

/* Return true if the system call NUMBER returns only when all requested bytes
   have been transferred.  */
static bool
waits_for_all (long number, const unsigned long argument[6])
{
  return (number == SYS_recvfrom && (argument[3] & MSG_WAITALL) != 0)
         || (number == SYS_recvmsg && (argument[2] & MSG_WAITALL) != 0);
}

/* The process in which blocked_prepare found no thread with a seccomp filter,
   or 0 if there is no such process.  */
static pid_t unfiltered;

void
blocked_prepare (pid_t pid)
{
  char path[64];
  bool filtered = false;
  unfiltered = 0;
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return;
  const struct dirent *entry;
  while (!filtered && (entry = readdir (dir)) != NULL)
    filtered = (atoi (entry->d_name) > 0
                && process_is_filtered (atoi (entry->d_name)));
  closedir (dir);
  if (!filtered)
    unfiltered = pid;
}

/* PLACE is the kernel function in which a thread waits (/proc/PID/wchan).
   Return true if the thread waits until a supervisor process has made the
   thread's system call for it (seccomp user notification).  The thread waits
   for the supervisor in seccomp_do_user_notification or, if a compiler has
   inlined seccomp_do_user_notification, in __seccomp_filter, where a thread
   waits for no other reason.  */
static bool
is_notification (const char *place)
{
  static const char *const places[]
      = { "seccomp_do_user_notification", "__seccomp_filter" };
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    /* A compiler may add a suffix such as ".isra.0" to the name of a kernel
       function.  */
    if (strncmp (place, places[i], strlen (places[i])) == 0)
      return true;
  return false;
}

/* Return true if thread TID of PID, which is in a system call, may be waiting
   until another process has made this call for it (seccomp's user
   notification: containers, sandboxes).  The kernel restarts an interrupted
   call, so a stop would let the supervisor process make the call twice.  If
   the kernel lacks the names of its functions, or hides them, the file wchan
   contains "0" wherever a thread waits.  */
static bool
is_notified (pid_t pid, pid_t tid)
{
  char name[32], place[64];
  if (pid == unfiltered)
    return false;
  snprintf (name, sizeof name, "task/%d/wchan", (int) tid);
  if (process_text (pid, name, place, sizeof place) == 0)
    return process_is_filtered (tid);
  return is_notification (place)
         || (strcmp (place, "0") == 0 && process_is_filtered (tid)
             && blocked_state (tid) != 'R');
}

enum blocked
blocked_in (pid_t pid, pid_t tid, long *since)
{
  char name[32], line[256];
  unsigned long argument[6] = { 0 };
  long number;
  const long now = thread_now ();
  snprintf (name, sizeof name, "task/%d/syscall", (int) tid);
  const bool known = process_text (pid, name, line, sizeof line) > 0;
  *since = 0;
  /* If the thread is in no system call, the file contains "running".  Some
     kernels do not have the file "syscall" in /proc/PID/task/TID.  */
  if (sscanf (line, "%ld %lx %lx %lx %lx %lx %lx", &number, &argument[0],
              &argument[1], &argument[2], &argument[3], &argument[4],
              &argument[5])
      < 1)
    {
      *since = known ? now : 0;
      return BLOCKED_NOT;
    }
  const struct call *call = blocked_find_call (number);
  enum blocked how = call != NULL ? call->how : BLOCKED_AGAIN;
  if (how == BLOCKED_SHORT || waits_for_all (number, argument)
      || (number >= 0 && is_notified (pid, tid)))
    how = BLOCKED_SHORT;
  else if (TRACEE_AGAIN && call != NULL && is_forever (call, argument))
    how = BLOCKED_AGAIN;
  if (call == NULL || is_forever (call, argument))
    *since = now;
  return how;
}

bool
blocked_seize (pid_t pid, pid_t tid, unsigned long options, long *since)
{
  if (blocked_in (pid, tid, since) != BLOCKED_SHORT)
    return thread_seize (tid, options);
  errno = EBUSY;
  return false;
}

/* Make thread TID restart its system call if the call would fail with EINTR
   only because of the command's stop.  If the restarted call would end too
   late, do not restart it.  Call this function for a stopped thread whose
   program counter is not in a trampoline.  If TID also has a pending signal,
   let the call fail because of this signal, as usual.  SINCE is a time at
   which the call had not yet begun, or 0 if no such time is known.  */
static void
make_again (pid_t tid, long since)
{
  struct tracee_registers registers;
  unsigned long argument[6];
  if (!TRACEE_AGAIN || !thread_get_registers (tid, &registers))
    return;
  const struct call *call
      = blocked_find_call (tracee_interrupted (&registers, argument));
  if (call == NULL
      || (!is_forever (call, argument)
          && !limit_allows (tid, limit_of (tid, call, argument), since)))
    return;
  tracee_make_again (&registers);
  thread_set_registers (tid, &registers);
}

bool
blocked_is_addressed (pid_t pid, pid_t tid)
{
  char name[40], text[16];
  if (pid == tid)
    return true;
  snprintf (name, sizeof name, "task/%d/children", (int) tid);
  return process_text (pid, name, text, sizeof text) > 0;
}

char
blocked_state (pid_t tid)
{
  struct process process;
  return process_read (tid, &process) && !process.worker ? process.state : 'X';
}

int
blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                 struct blocked_others *others)
{
  char path[64];
  int n = 0;
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return -1;
  const struct dirent *entry;
  while (n < room && (entry = readdir (dir)) != NULL)
    {
      struct blocked_thread *thread = &list[n];
      thread->tid = atoi (entry->d_name);
      if (thread->tid <= 0)
        continue;
      const char state = blocked_state (thread->tid);
      others->waiting |= state == 'D';
      if (strchr ("SRtT", state) == NULL)
        continue;
      thread->how = blocked_in (pid, thread->tid, &thread->since);
      if (thread->how == BLOCKED_SHORT)
        others->spared = true;
      else
        ++n;
      if (thread->how == BLOCKED_AGAIN && n > room / 2)
        break;
    }
  closedir (dir);
  return n;
}

/* This function is also called for a thread that the command no longer waits
   for, because the thread did not stop in time.  When a late thread stops, the
   stop also interrupts the thread's system call.  */

void
release_prepare (pid_t tid, long since)
{
  filter_spare (tid);
  make_again (tid, since);
}

void
release_thread (pid_t tid, int status)
{
  if (thread_to_pass_on (status) != 0
      || thread_is_event (status, PTRACE_EVENT_STOP))
    release_prepare (tid, 0);
  thread_request (PTRACE_DETACH, tid, thread_to_pass_on (status));
}

void
release_stopped (void)
{
  int status;
  pid_t tid;
  while ((tid = waitpid (-1, &status, __WALL | WNOHANG)) > 0)
    if (WIFSTOPPED (status))
      release_thread (tid, status);
}
