/* Blocking system calls, and their results under "hugetext attach".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   calls READY LIBRARY [waits]

   Each kind of call has a thread that is in the call nearly all the time.
   With "waits", the program leaves out the kinds of calls that move many
   bytes.  A child continually sends the program a signal that the program
   ignores.  On SIGTERM the program ends, and prints a line for each kind: its
   name, the number of calls, of failures with EINTR, of calls that moved fewer
   bytes than requested, and of other wrong results.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

struct kind
{
  const char *name;
  void (*work) (struct kind *);
  long made, interrupted, cut, wrong;
};

/* Count a call of KIND that returned RESULT.  WANTED is the right result.  */
static void
note (struct kind *kind, long result, long wanted)
{
  ++kind->made;
  if (result == wanted)
    return;
  if (result < 0 && errno == EINTR)
    ++kind->interrupted;
  else if (result >= 0 && wanted > 0)
    ++kind->cut;
  else
    ++kind->wrong;
}

enum
{
  MUCH = 1 << 20,
  BIT = 4096,
};

/* Read FD slowly, to its end.  */
static void *
drain (void *fd)
{
  static __thread char bytes[BIT * 4];
  while (read ((int) (long) fd, bytes, sizeof bytes) > 0)
    usleep (400);
  return NULL;
}

/* Write bytes to FD slowly.  */
static void *
fill (void *fd)
{
  static __thread char bytes[BIT];
  while (!stop && write ((int) (long) fd, bytes, sizeof bytes) > 0)
    usleep (1500);
  return NULL;
}

static void
start (void *(*work) (void *), int fd)
{
  pthread_t thread;
  pthread_create (&thread, NULL, work, (void *) (long) fd);
}

static char much[MUCH];

static void
a_write (struct kind *kind)
{
  int ends[2];
  if (pipe (ends) != 0)
    return;
  start (drain, ends[0]);
  while (!stop)
    note (kind, write (ends[1], much, MUCH), MUCH);
}

static void
a_writev (struct kind *kind)
{
  int ends[2];
  struct iovec vector[2] = { { much, MUCH / 2 }, { much, MUCH / 2 } };
  if (pipe (ends) != 0)
    return;
  start (drain, ends[0]);
  while (!stop)
    note (kind, writev (ends[1], vector, 2), MUCH);
}

static void
a_send (struct kind *kind)
{
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return;
  start (drain, ends[0]);
  while (!stop)
    note (kind, send (ends[1], much, MUCH, 0), MUCH);
}

static void
a_sendfile (struct kind *kind)
{
  int ends[2], fd = memfd_create ("calls", 0);
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) != 0
      || ftruncate (fd, MUCH) != 0)
    return;
  start (drain, ends[0]);
  while (!stop)
    {
      off_t offset = 0;
      note (kind, sendfile (ends[1], fd, &offset, MUCH), MUCH);
    }
}

static void
a_recv_all (struct kind *kind)
{
  static char bytes[BIT * 8];
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return;
  start (fill, ends[1]);
  while (!stop)
    note (kind, recv (ends[0], bytes, sizeof bytes, MSG_WAITALL),
          sizeof bytes);
}

static void
a_recv (struct kind *kind)
{
  static char bytes[BIT];
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return;
  start (fill, ends[1]);
  while (!stop)
    note (kind, recv (ends[0], bytes, sizeof bytes, 0), sizeof bytes);
}

/* The timeout of the calls that wait until their timeout.  */
static const struct timeval some_time = { 0, 30000 };
static const struct timespec some = { 0, 30000000 };

static void
note_timeout (struct kind *kind, long result, int error)
{
  if (result < 0 && errno == error)
    result = 0;
  note (kind, result, 0);
}

static void
a_recv_timeout (struct kind *kind)
{
  int ends[2];
  char byte;
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return;
  setsockopt (ends[0], SOL_SOCKET, SO_RCVTIMEO, &some_time, sizeof some_time);
  while (!stop)
    note_timeout (kind, recv (ends[0], &byte, 1, 0), EAGAIN);
}

static int
listener (void)
{
  struct sockaddr_un name = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  bind (fd, (struct sockaddr *) &name, sizeof name.sun_family);
  listen (fd, 4);
  return fd;
}

static void *
visit (void *fd)
{
  struct sockaddr_un name;
  socklen_t length = sizeof name;
  getsockname ((int) (long) fd, (struct sockaddr *) &name, &length);
  while (!stop)
    {
      int ours = socket (AF_UNIX, SOCK_STREAM, 0);
      connect (ours, (struct sockaddr *) &name, length);
      usleep (3000);
      close (ours);
    }
  return NULL;
}

static void
an_accept (struct kind *kind)
{
  int fd = listener ();
  start (visit, fd);
  while (!stop)
    {
      int got = accept (fd, NULL, NULL);
      note (kind, got < 0 ? -1 : 0, 0);
      if (got >= 0)
        close (got);
    }
}

static void
an_accept_timeout (struct kind *kind)
{
  int fd = listener ();
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &some_time, sizeof some_time);
  while (!stop)
    note_timeout (kind, accept (fd, NULL, NULL), EAGAIN);
}

/* Return a descriptor that a timer makes readable again and again.  */
static int
ticker (void)
{
  int fd = timerfd_create (CLOCK_MONOTONIC, 0);
  struct itimerspec every = { { 0, 5000000 }, { 0, 5000000 } };
  timerfd_settime (fd, 0, &every, NULL);
  return fd;
}

static void
an_epoll (struct kind *kind)
{
  uint64_t count;
  int fd = ticker (), set = epoll_create1 (0);
  struct epoll_event event = { .events = EPOLLIN };
  epoll_ctl (set, EPOLL_CTL_ADD, fd, &event);
  while (!stop)
    {
      long n = epoll_wait (set, &event, 1, -1);
      note (kind, n, 1);
      if (n == 1 && read (fd, &count, sizeof count) < 0)
        ++kind->wrong;
    }
}

static void
an_epoll_timeout (struct kind *kind)
{
  struct epoll_event event;
  int set = epoll_create1 (0);
  while (!stop)
    note (kind, epoll_wait (set, &event, 1, 30), 0);
}

static void
a_poll (struct kind *kind)
{
  struct pollfd fd = { eventfd (0, 0), POLLIN, 0 };
  while (!stop)
    note (kind, poll (&fd, 1, 30), 0);
}

static void
a_select (struct kind *kind)
{
  while (!stop)
    {
      struct timeval time = some_time;
      note (kind, select (0, NULL, NULL, NULL, &time), 0);
    }
}

static void
a_sleep (struct kind *kind)
{
  while (!stop)
    note (kind, nanosleep (&some, NULL), 0);
}

static void
a_futex (struct kind *kind)
{
  int word = 1;
  while (!stop)
    note_timeout (
        kind,
        syscall (SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &some, NULL, 0),
        ETIMEDOUT);
}

static int semaphores = -1, messages = -1;

static void *
raise_often (void *unused)
{
  struct sembuf up = { 0, 1, 0 };
  for (; !stop; usleep (3000))
    semop (semaphores, &up, 1);
  return unused;
}

static void
a_semop (struct kind *kind)
{
  struct sembuf down = { 0, -1, 0 };
  start (raise_often, 0);
  while (!stop)
    note (kind, semop (semaphores, &down, 1), 0);
}

static void
a_semop_timeout (struct kind *kind)
{
  struct sembuf down = { 1, -1, 0 };
  while (!stop)
    note_timeout (kind, semtimedop (semaphores, &down, 1, &some), EAGAIN);
}

static void *
tell_often (void *unused)
{
  struct
  {
    long type;
    char text[8];
  } message = { 1, "" };
  for (; !stop; usleep (3000))
    msgsnd (messages, &message, 8, 0);
  return unused;
}

static void
a_msgrcv (struct kind *kind)
{
  struct
  {
    long type;
    char text[8];
  } message;
  start (tell_often, 0);
  while (!stop)
    note (kind, msgrcv (messages, &message, 8, 0, 0), 8);
}

static void
a_sigwait (struct kind *kind)
{
  sigset_t set;
  sigemptyset (&set);
  sigaddset (&set, SIGRTMIN + 1);
  while (!stop)
    note_timeout (kind, sigtimedwait (&set, NULL, &some), EAGAIN);
}

static void
an_io_getevents (struct kind *kind)
{
  aio_context_t context = 0;
  struct io_event event;
  if (syscall (SYS_io_setup, 4, &context) != 0)
    return;
  while (!stop)
    {
      struct timespec time = some;
      note (kind, syscall (SYS_io_getevents, context, 1, 1, &event, &time), 0);
    }
}

static void
a_wait (struct kind *kind)
{
  while (!stop)
    {
      pid_t pid = fork ();
      if (pid == 0)
        {
          usleep (20000);
          _exit (0);
        }
      long got;
      do
        {
          got = waitpid (pid, NULL, 0);
          note (kind, got, pid);
        }
      while (got != pid && errno == EINTR);
    }
}

static void
a_read (struct kind *kind)
{
  static char bytes[BIT];
  int ends[2];
  if (pipe (ends) != 0)
    return;
  start (fill, ends[1]);
  while (!stop)
    note (kind, read (ends[0], bytes, sizeof bytes), sizeof bytes);
}

static void
a_tick (struct kind *kind)
{
  uint64_t count;
  int fd = ticker ();
  while (!stop)
    note (kind, read (fd, &count, sizeof count), sizeof count);
}

/* The number of kinds of system calls that move many bytes.  These kinds come
   first in KINDS.  */
#define MOVES 5

static struct kind kinds[] = {
  { .name = "write", .work = a_write },
  { .name = "writev", .work = a_writev },
  { .name = "send", .work = a_send },
  { .name = "sendfile", .work = a_sendfile },
  { .name = "recv-waitall", .work = a_recv_all },
  { .name = "recv", .work = a_recv },
  { .name = "recv-timeout", .work = a_recv_timeout },
  { .name = "accept", .work = an_accept },
  { .name = "accept-timeout", .work = an_accept_timeout },
  { .name = "epoll_wait", .work = an_epoll },
  { .name = "epoll_wait-timeout", .work = an_epoll_timeout },
  { .name = "poll", .work = a_poll },
  { .name = "select", .work = a_select },
  { .name = "nanosleep", .work = a_sleep },
  { .name = "futex", .work = a_futex },
  { .name = "semop", .work = a_semop },
  { .name = "semtimedop", .work = a_semop_timeout },
  { .name = "msgrcv", .work = a_msgrcv },
  { .name = "sigtimedwait", .work = a_sigwait },
  { .name = "io_getevents", .work = an_io_getevents },
  { .name = "waitpid", .work = a_wait },
  { .name = "read", .work = a_read },
  { .name = "read-timerfd", .work = a_tick },
};

static void *
work (void *kind)
{
  ((struct kind *) kind)->work (kind);
  return NULL;
}

static void
on_term (int signal)
{
  (void) signal;
  stop = 1;
}

/* Make a child that continually sends this process SIGWINCH, a signal that
   terminals send, and that the process ignores.  */
static void
have_ignored_signals (void)
{
  const pid_t parent = getpid ();
  if (fork () != 0)
    return;
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  while (getppid () == parent && kill (parent, SIGWINCH) == 0)
    usleep (1000);
  _exit (0);
}

int
main (int argc, char **argv)
{
  const size_t n = sizeof kinds / sizeof kinds[0];
  sigset_t set;
  if (argc < 3 || dlopen (argv[2], RTLD_NOW) == NULL)
    return 2;
  sigemptyset (&set);
  sigaddset (&set, SIGRTMIN + 1);
  sigaddset (&set, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  semaphores = semget (IPC_PRIVATE, 2, 0600);
  messages = msgget (IPC_PRIVATE, 0600);
  for (size_t i = argc > 3 ? MOVES : 0; i < n; ++i)
    {
      pthread_t thread;
      if (pthread_create (&thread, NULL, work, &kinds[i]) != 0)
        return 2;
    }
  usleep (100000);
  /* Create the child after all threads.  pthread_create blocks signals in the
     first thread for a moment, and the kernel keeps a blocked signal pending
     even if the process ignores the signal.  */
  have_ignored_signals ();
  sigaction (SIGTERM, &(struct sigaction){ .sa_handler = on_term }, NULL);
  FILE *stream = fopen (argv[1], "w");
  if (stream == NULL || fprintf (stream, "%d\n", (int) getpid ()) < 0
      || fclose (stream) != 0)
    return 2;
  sigemptyset (&set);
  sigaddset (&set, SIGTERM);
  pthread_sigmask (SIG_UNBLOCK, &set, NULL);
  while (!stop)
    usleep (20000);
  for (size_t i = 0; i < n; ++i)
    printf ("%s %ld %ld %ld %ld\n", kinds[i].name, kinds[i].made,
            kinds[i].interrupted, kinds[i].cut, kinds[i].wrong);
  fflush (stdout);
  semctl (semaphores, 0, IPC_RMID);
  msgctl (messages, IPC_RMID, NULL);
  _exit (0);
}
