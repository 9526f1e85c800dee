/* Stop children in system calls with a timeout, and let them continue.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The exit status of a child is 0 if its call has returned as if the child had
   not been stopped, and 1 if the call has failed with EINTR.  */

#define _GNU_SOURCE 1
#include "tracee/blocked.h"
#include "tracee/limit.h"
#include "tracee/thread.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHORT_MS 60
#define LONG_MS 1500

static const struct timespec some = { 0, SHORT_MS * 1000000L };
static const struct timeval some_time = { 0, SHORT_MS * 1000L };

/* Each of the following functions makes one call with a time limit, and
   returns 0 if the call ends at its limit.  RESULT is the call's result; ERROR
   is the error number that means that the limit has passed.  */
static int
judge (long result, int error)
{
  if (result == 0 || (result < 0 && errno == error))
    return 0;
  return result < 0 && errno == EINTR ? 1 : 2;
}

static int
an_epoll (void)
{
  struct epoll_event event;
  return judge (epoll_wait (epoll_create1 (0), &event, 1, SHORT_MS), 0);
}

static int
a_long_epoll (void)
{
  struct epoll_event event;
  return judge (epoll_wait (epoll_create1 (0), &event, 1, LONG_MS), 0);
}

static int
a_semtimedop (void)
{
  struct sembuf down = { 0, -1, 0 };
  const int set = semget (IPC_PRIVATE, 1, 0600);
  const int answer = judge (semtimedop (set, &down, 1, &some), EAGAIN);
  semctl (set, 0, IPC_RMID);
  return answer;
}

static int
a_sigwait (void)
{
  sigset_t set;
  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigprocmask (SIG_BLOCK, &set, NULL);
  return judge (sigtimedwait (&set, NULL, &some), EAGAIN);
}

static int
an_io_getevents (void)
{
  aio_context_t context = 0;
  struct io_event event;
  syscall (SYS_io_setup, 4, &context);
  return judge (syscall (SYS_io_getevents, context, 1, 1, &event, &some), 0);
}

static int
a_recv (void)
{
  int ends[2];
  char byte;
  socketpair (AF_UNIX, SOCK_STREAM, 0, ends);
  setsockopt (ends[0], SOL_SOCKET, SO_RCVTIMEO, &some_time, sizeof some_time);
  return judge (recv (ends[0], &byte, 1, 0), EAGAIN);
}

static int
an_accept (void)
{
  struct sockaddr_un name = { .sun_family = AF_UNIX };
  const int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  bind (fd, (struct sockaddr *) &name, sizeof name.sun_family);
  listen (fd, 4);
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &some_time, sizeof some_time);
  return judge (accept (fd, NULL, NULL), EAGAIN);
}

/* The limit is in memory that is not writable, so the kernel cannot write
   there how much time is left.  */
static int
a_constant_poll (void)
{
  struct timespec *time = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *time = some;
  mprotect (time, 4096, PROT_READ);
  return judge (syscall (SYS_ppoll, NULL, 0, time, NULL, 8), 0);
}

/* Wait, without a time limit, for an event of an io_uring.  */
static int
a_ring (void)
{
  struct io_uring_params p = { 0 };
  const int fd = syscall (SYS_io_uring_setup, 4, &p);
  if (fd < 0)
    return 0;
  char *ring = mmap (NULL, p.sq_off.array + p.sq_entries * sizeof (unsigned),
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
                     IORING_OFF_SQ_RING);
  struct io_uring_sqe *entry
      = mmap (NULL, p.sq_entries * sizeof *entry, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
  struct __kernel_timespec time = { 0, LONG_MS / 3 * 1000000L };
  entry->opcode = IORING_OP_TIMEOUT;
  entry->addr = (unsigned long) &time;
  entry->len = 1;
  *(unsigned *) (ring + p.sq_off.array) = 0;
  __atomic_store_n ((unsigned *) (ring + p.sq_off.tail), 1, __ATOMIC_RELEASE);
  if (syscall (SYS_io_uring_enter, fd, 1, 0, 0, NULL, 0) != 1)
    return 2;
  return judge (
      syscall (SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0),
      0);
}

/* Return true if PID sleeps in system call NUMBER.  */
static bool
is_in (pid_t pid, long number)
{
  char name[64], line[64] = "";
  snprintf (name, sizeof name, "/proc/%d/syscall", (int) pid);
  FILE *stream = fopen (name, "r");
  if (stream == NULL || fgets (line, sizeof line, stream) == NULL)
    line[0] = '\0';
  if (stream != NULL)
    fclose (stream);
  return line[0] >= '0' && line[0] <= '9' && atol (line) == number;
}

/* Stop PID once, and let it continue.  Its call has begun after SINCE.  */
static bool
stop_once (pid_t pid, long since)
{
  if (!thread_seize (pid, 0) || !thread_request (PTRACE_INTERRUPT, pid, 0))
    return false;
  const int status = thread_wait (pid, 0);
  if (status <= 0)
    return false;
  release_prepare (pid, since);
  return thread_request (PTRACE_DETACH, pid, 0);
}

/* Let a child make CALL, whose number is NUMBER, and stop the child in this
   call STOPS times.  Return the exit status of the child.  If SEEN is true,
   the engine is told a time shortly before the beginning of the call.  */
static int
try (int (*call) (void), long number, bool seen, int stops)
{
  int status = -1;
  long since = 0;
  const pid_t pid = fork ();
  if (pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      _exit (call ());
    }
  if (seen)
    since = thread_now ();
  while (!is_in (pid, number))
    {
      if (waitpid (pid, &status, WNOHANG) == pid)
        return -1;
      if (seen)
        since = thread_now ();
    }
  for (int i = 0; i < stops; ++i)
    {
      if (!stop_once (pid, since))
        break;
      usleep (10000);
    }
  waitpid (pid, &status, 0);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -2;
}

/* Return true if blocked_in reports a ppoll that the kernel restarts, a call
   with a timeout, and cannot say when it began.  */
static bool
is_old (void)
{
  long since = 1;
  const pid_t pid = fork ();
  if (pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      syscall (SYS_ppoll, NULL, 0, &(struct timespec){ 60, 0 }, NULL, 8);
      _exit (0);
    }
  while (!is_in (pid, SYS_ppoll))
    usleep (1000);
  const enum blocked how = blocked_in (pid, pid, &since);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  return how == BLOCKED_AGAIN && since == 0;
}

int
main (void)
{
  static const struct
  {
    const char *name;
    int (*call) (void);
    long number;
    bool seen;
    int stops, wanted;
  } cases[] = {
    { "epoll_wait", an_epoll, SYS_epoll_wait, false, 1, 0 },
    { "semtimedop", a_semtimedop, SYS_semtimedop, false, 1, 0 },
    { "sigtimedwait", a_sigwait, SYS_rt_sigtimedwait, false, 1, 0 },
    { "io_getevents", an_io_getevents, SYS_io_getevents, false, 1, 0 },
    /* The engine does not find out the time limit of a socket.  */
    { "recv", a_recv, SYS_recvfrom, false, 1, 1 },
    { "recv, seen", a_recv, SYS_recvfrom, true, 1, 0 },
    { "accept, seen", an_accept, SYS_accept, true, 1, 0 },
    { "ppoll, constant", a_constant_poll, SYS_ppoll, false, 1, 0 },
    { "io_uring_enter", a_ring, SYS_io_uring_enter, false, 3, 0 },
    { "epoll_wait, long", a_long_epoll, SYS_epoll_wait, false, 1, 1 },
    { "epoll_wait, seen", a_long_epoll, SYS_epoll_wait, true, 1, 0 },
    /* The engine must not restart a call for ever.  */
    { "epoll_wait, again and again", an_epoll, SYS_epoll_wait, false, 60, 1 },
  };
  sigset_t child;
  int wrong = 0;
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  sigprocmask (SIG_BLOCK, &child, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
      int got = -1;
      /* On a busy machine, the child's call may be over before the child is
         stopped.  */
      for (int k = 0; k < 20 && got != cases[i].wanted; ++k)
        {
          got = try (cases[i].call, cases[i].number, cases[i].seen,
                     cases[i].stops);
          if (got >= 0 && cases[i].stops == 1)
            break;
        }
      printf ("%s: %d, not %d\n", cases[i].name, got, cases[i].wanted);
      wrong += got != cases[i].wanted;
    }
  if (!is_old ())
    {
      printf ("blocked_in does not say that ppoll may have begun long ago\n");
      ++wrong;
    }
  return wrong != 0;
}
