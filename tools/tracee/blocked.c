/* System calls that a stop interrupts: what the thread notices, and how it is
   let go so that it notices little.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/blocked.h"
#include "tracee/thread.h"
#include "tracee/filter.h"
#include "host/process.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#  define SYS_epoll_pwait2 441 /* Linux 5.11, the same for all machines.  */
#endif

/* The way in which a call waits without a limit.  */
enum forever
{
  NEVER,
  ALWAYS,
  NEGATIVE, /* Its argument ARG is negative,  */
  ZERO,     /* or 0.  */
};

/* Calls that fail with EINTR, or with fewer bytes: signal(7) of Linux
   man-pages, and sock_intr_errno in the kernel's <net/sock.h>.  */
static const struct call
{
  long number;
  enum blocked how;
  enum forever forever;
  unsigned int arg;
} calls[] = {
#ifdef SYS_epoll_wait
  { SYS_epoll_wait, BLOCKED_EINTR, NEGATIVE, 3 },
#endif
  { SYS_epoll_pwait, BLOCKED_EINTR, NEGATIVE, 3 },
  { SYS_epoll_pwait2, BLOCKED_EINTR, ZERO, 3 },
#ifdef SYS_semop
  { SYS_semop, BLOCKED_EINTR, ALWAYS, 0 },
#endif
  { SYS_semtimedop, BLOCKED_EINTR, ZERO, 3 },
  { SYS_rt_sigtimedwait, BLOCKED_EINTR, ZERO, 2 },
  { SYS_io_getevents, BLOCKED_EINTR, ZERO, 4 },
  { SYS_io_pgetevents, BLOCKED_EINTR, ZERO, 4 },
  { SYS_io_uring_enter, BLOCKED_EINTR, NEVER, 0 },
  { SYS_accept, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_accept4, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_connect, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_recvfrom, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_recvmsg, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_read, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_readv, BLOCKED_PERHAPS, NEVER, 0 },
  { SYS_recvmmsg, BLOCKED_SHORT, NEVER, 0 },
  { SYS_write, BLOCKED_SHORT, NEVER, 0 },
  { SYS_writev, BLOCKED_SHORT, NEVER, 0 },
  { SYS_pwrite64, BLOCKED_SHORT, NEVER, 0 },
  { SYS_pwritev, BLOCKED_SHORT, NEVER, 0 },
  { SYS_pwritev2, BLOCKED_SHORT, NEVER, 0 },
  { SYS_sendto, BLOCKED_SHORT, NEVER, 0 },
  { SYS_sendmsg, BLOCKED_SHORT, NEVER, 0 },
  { SYS_sendmmsg, BLOCKED_SHORT, NEVER, 0 },
  { SYS_sendfile, BLOCKED_SHORT, NEVER, 0 },
  { SYS_splice, BLOCKED_SHORT, NEVER, 0 },
  { SYS_vmsplice, BLOCKED_SHORT, NEVER, 0 },
  { SYS_tee, BLOCKED_SHORT, NEVER, 0 },
  { SYS_copy_file_range, BLOCKED_SHORT, NEVER, 0 },
};

static const struct call *
find (long number)
{
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i)
    if (calls[i].number == number)
      return &calls[i];
  return NULL;
}

static bool
is_forever (const struct call *call, const unsigned long argument[6])
{
  switch (call->forever)
    {
    case ALWAYS:
      return true;
    case NEGATIVE:
      return (int) argument[call->arg] < 0;
    case ZERO:
      return argument[call->arg] == 0;
    default:
      return false;
    }
}

/* Whether call NUMBER waits for as many bytes as were asked for.  */
static bool
waits_for_all (long number, const unsigned long argument[6])
{
  return (number == SYS_recvfrom && (argument[3] & MSG_WAITALL) != 0)
         || (number == SYS_recvmsg && (argument[2] & MSG_WAITALL) != 0);
}

enum blocked
blocked_in (pid_t pid, pid_t tid)
{
  char name[32], line[256];
  unsigned long argument[6] = { 0 };
  long number;
  snprintf (name, sizeof name, "task/%d/syscall", (int) tid);
  process_text (pid, name, line, sizeof line);
  /* The file says "running", or the kernel does not have it.  */
  if (sscanf (line, "%ld %lx %lx %lx %lx %lx %lx", &number, &argument[0],
              &argument[1], &argument[2], &argument[3], &argument[4],
              &argument[5])
      < 1)
    return BLOCKED_NOT;
  const struct call *call = find (number);
  if (call == NULL)
    return BLOCKED_AGAIN;
  if (waits_for_all (number, argument))
    return BLOCKED_SHORT;
  return TRACEE_AGAIN && is_forever (call, argument) ? BLOCKED_AGAIN
                                                     : call->how;
}

/* Have TID, which is stopped and not led elsewhere, make its call again if the
   call waits without a limit and would fail with EINTR only because of our
   stop.  If TID also has a signal, the call fails because of that as
   usual.  */
static void
make_again (pid_t tid)
{
  struct tracee_registers registers;
  unsigned long argument[6];
  if (!TRACEE_AGAIN || !thread_get_registers (tid, &registers))
    return;
  const struct call *call = find (tracee_interrupted (&registers, argument));
  if (call == NULL || !is_forever (call, argument))
    return;
  tracee_make_again (&registers);
  thread_set_registers (tid, &registers);
}

char
blocked_state (pid_t tid)
{
  struct process process;
  return process_read (tid, &process) && !process.worker ? process.state : 'X';
}

int
blocked_threads (pid_t pid, struct blocked_thread *list, int room,
                 bool *spared)
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
      /* Skip a thread that waits for a disk, or for a child of vfork: it stops
         late.  */
      if (thread->tid <= 0
          || strchr ("SRtT", blocked_state (thread->tid)) == NULL)
        continue;
      thread->how = blocked_in (pid, thread->tid);
      if (thread->how == BLOCKED_SHORT)
        *spared = true;
      else
        ++n;
      if (thread->how == BLOCKED_AGAIN && n > room / 2)
        break;
    }
  closedir (dir);
  return n;
}

/* A thread that did not stop in time stops later, after the command has given
   it up; that stop interrupts its call all the same.  */

void
release_prepare (pid_t tid)
{
  filter_spare (tid);
  make_again (tid);
}

void
release_thread (pid_t tid, int status)
{
  if (thread_is_event (status, PTRACE_EVENT_STOP))
    release_prepare (tid);
  thread_request (PTRACE_DETACH, tid, thread_to_pass_on (status));
}

void
release_strays (void)
{
  int status;
  pid_t tid;
  while ((tid = waitpid (-1, &status, __WALL | WNOHANG)) > 0)
    if (WIFSTOPPED (status))
      release_thread (tid, status);
}
