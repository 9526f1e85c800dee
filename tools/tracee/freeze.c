/* A stop of threads of a process for some microseconds, and what they notice.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/freeze.h"
#include "tracee/filter.h"
#include "tracee/refusal.h"
#include "tracee/thread.h"
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
#include <time.h>
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
find_call (long number)
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

/* Return the effect of a stop on thread TID of process PID.  */
static enum blocked
blocked_in (pid_t pid, pid_t tid)
{
  char path[64];
  unsigned long argument[6] = { 0 };
  long number;
  snprintf (path, sizeof path, "/proc/%d/task/%d/syscall", (int) pid,
            (int) tid);
  FILE *stream = fopen (path, "re");
  /* The file says "running", or the kernel does not have it.  */
  const bool known = stream != NULL
                     && fscanf (stream, "%ld %lx %lx %lx %lx %lx %lx", &number,
                                &argument[0], &argument[1], &argument[2],
                                &argument[3], &argument[4], &argument[5])
                            >= 1;
  if (stream != NULL)
    fclose (stream);
  if (!known)
    return BLOCKED_NOT;
  const struct call *call = find_call (number);
  if (call == NULL)
    return BLOCKED_AGAIN;
  if (waits_for_all (number, argument))
    return BLOCKED_SHORT;
  return TRACEE_AGAIN && is_forever (call, argument) ? BLOCKED_AGAIN
                                                     : call->how;
}

void
blocked_prepare (pid_t tid)
{
  struct tracee_registers registers;
  unsigned long argument[6];
  filter_spare (tid);
  if (!TRACEE_AGAIN || !thread_get_registers (tid, &registers))
    return;
  const struct call *call
      = find_call (tracee_interrupted (&registers, argument));
  if (call == NULL || !is_forever (call, argument))
    return;
  tracee_make_again (&registers);
  thread_set_registers (tid, &registers);
}

void
blocked_release (pid_t tid, int status)
{
  if (thread_is_event (status, PTRACE_EVENT_STOP))
    blocked_prepare (tid);
  thread_request (PTRACE_DETACH, tid, thread_to_pass_on (status));
}

bool
blocked_release_strays (void)
{
  int status;
  pid_t tid;
  while ((tid = waitpid (-1, &status, __WALL | WNOHANG)) > 0)
    if (WIFSTOPPED (status))
      blocked_release (tid, status);
  return tid < 0;
}

static const char freeze_late[] = "its threads did not stop in time";
const char freeze_busy[]
    = "threads of it are at moving bytes (write, send), which a stop would cut"
      " short";

static int
compare (const void *one, const void *other)
{
  return ((const struct frozen *) one)->tid
         - ((const struct frozen *) other)->tid;
}

/* Return the thread TID among the first COUNT.  */
static struct frozen *
find (const struct freeze *freeze, size_t count, pid_t tid)
{
  const struct frozen key = { .tid = tid };
  return count == 0
             ? NULL
             : bsearch (&key, freeze->threads, count, sizeof key, compare);
}

/* Whether thread TID is a kernel thread at work for io_uring or vhost, which
   never runs the program.  Its work would fail if it were stopped.  */
static bool
is_worker (pid_t tid)
{
  char path[64], name[8] = "";
  struct process process;
  snprintf (path, sizeof path, "/proc/%d/comm", (int) tid);
  FILE *stream = fopen (path, "re");
  if (stream == NULL)
    return false;
  const bool read = fgets (name, sizeof name, stream) != NULL;
  fclose (stream);
  /* Look at the name first; other facts take longer to read, and any thread
     may have such a name.  */
  return (
      read
      && (strncmp (name, "iou-", 4) == 0 || strncmp (name, "vhost", 5) == 0)
      && process_read (tid, &process) && process.worker);
}

/* Add thread TID of process PID.  Return NULL or why that is not possible.  */
static const char *
add (struct freeze *freeze, pid_t pid, pid_t tid)
{
  if (freeze->count == freeze->room)
    {
      size_t room = 2 * freeze->room + 32;
      struct frozen *threads
          = reallocarray (freeze->threads, room, sizeof *threads);
      if (threads == NULL)
        return "there is no memory";
      freeze->threads = threads;
      freeze->room = room;
    }
  const enum blocked how = blocked_in (pid, tid);
  freeze->spared |= how == BLOCKED_SHORT;
  freeze->threads[freeze->count++] = (struct frozen){
    tid, how,
    how == BLOCKED_SHORT || is_worker (tid) ? FROZEN_LEFT : FROZEN_NOT
  };
  return NULL;
}

/* Add all threads of PID but EXCEPT that FREEZE does not have.  Return NULL
   or why that is not possible.  */
static const char *
add_all (struct freeze *freeze, pid_t pid, pid_t except)
{
  char path[64];
  const char *problem = NULL;
  const size_t before = freeze->count;
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return "it has ended";
  const struct dirent *entry;
  while (problem == NULL && (entry = readdir (dir)) != NULL)
    {
      pid_t tid = atoi (entry->d_name);
      if (tid > 0 && tid != except && find (freeze, before, tid) == NULL)
        problem = add (freeze, pid, tid);
    }
  closedir (dir);
  if (freeze->count > 0)
    qsort (freeze->threads, freeze->count, sizeof *freeze->threads, compare);
  return problem;
}

/* Ask THREAD to stop.  Return NULL or why that is not possible.  With
   PERMITTED, the kernel only refuses it now: the process executes a program,
   or another hugetext is at work on it.  */
static const char *
ask (struct frozen *thread, bool permitted)
{
  struct process process;
  if (thread_seize (thread->tid, PTRACE_O_TRACESYSGOOD))
    {
      thread->state = FROZEN_ASKED;
      thread_request (PTRACE_INTERRUPT, thread->tid, 0);
      return NULL;
    }
  const int error = errno;
  thread->state = FROZEN_LEFT;
  if (error == ESRCH || !process_read (thread->tid, &process) || process.ended)
    return NULL;
  return permitted || error == ETIMEDOUT
                 || process_number (thread->tid, "TracerPid:") == getpid ()
             ? freeze_late
             : tracee_not_permitted (thread->tid, error);
}

/* Note that THREAD has stopped, or ended, with STATUS.  From a stop by a
   signal it goes on to the stop that it was asked for.  */
static void
note (struct frozen *thread, int status)
{
  if (!WIFSTOPPED (status))
    thread->state = FROZEN_LEFT;
  else if (!thread_is_event (status, PTRACE_EVENT_STOP))
    thread_request (PTRACE_CONT, thread->tid, thread_to_pass_on (status));
  else
    {
      thread->state = FROZEN_STOPPED;
      blocked_prepare (thread->tid);
    }
}

/* Wait until all threads have stopped.  Return NULL, or why they have not.  A
   thread that has executed a program has another ID then; if EXCEPT has ended,
   the freeze is over.  */
static const char *
wait_for_all (struct freeze *freeze, pid_t except, long until)
{
  for (size_t i = 0; i < freeze->count;)
    {
      int status;
      if (freeze->threads[i].state != FROZEN_ASKED)
        {
          ++i;
          continue;
        }
      pid_t tid = waitpid (-1, &status, __WALL | WNOHANG);
      struct frozen *thread = find (freeze, freeze->count, tid);
      if (tid < 0)
        return "it has ended";
      else if (tid > 0 && tid == except)
        return "it has ended, or executed another program";
      else if (thread != NULL)
        note (thread, status);
      else if (tid > 0 && WIFSTOPPED (status))
        blocked_release (tid, status);
      else if (thread_now () > until)
        return freeze_late;
      else if (tid == 0)
        nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
    }
  return NULL;
}

/* Leave all threads running but one, which notices least: a thread that runs
   might be about to move bytes, too.  With NONE leave that one as well.  */
static void
spare (struct freeze *freeze, bool none)
{
  struct frozen *best = NULL;
  for (size_t i = 0; i < freeze->count; ++i)
    {
      struct frozen *thread = &freeze->threads[i];
      struct process process;
      /* A thread that waits for a disk, or for a child of vfork, would stop
         late.  */
      if (!none && thread->state == FROZEN_NOT
          && (best == NULL || thread->how < best->how)
          && process_read (thread->tid, &process)
          && strchr ("SRtT", process.state) != NULL)
        best = thread;
    }
  for (size_t i = 0; i < freeze->count; ++i)
    if (&freeze->threads[i] != best)
      freeze->threads[i].state = FROZEN_LEFT;
}

/* Whether another process traces a thread that is left running: another
   hugetext, which has not asked whether this one does before this one has
   stopped a thread.  */
static bool
is_anothers (const struct freeze *freeze)
{
  for (size_t i = 0; i < freeze->count; ++i)
    if (freeze->threads[i].state == FROZEN_LEFT
        && process_number (freeze->threads[i].tid, "TracerPid:") > 0)
      return true;
  return false;
}

const char *
freeze_threads (struct freeze *freeze, pid_t pid, pid_t except,
                unsigned int milliseconds)
{
  const char *problem = add_all (freeze, pid, except);
  if (freeze->spared)
    spare (freeze, except != 0);
  size_t n = 0, before = 0;
  for (size_t i = 0; i < freeze->count; ++i)
    n += freeze->threads[i].state == FROZEN_NOT;
  /* Nothing is stopped until the only thread stops.  */
  if (except == 0 && n == 1)
    milliseconds = 1000;
  const long until = thread_now () + milliseconds * 1000000L;
  while (problem == NULL && freeze->count > before)
    {
      before = freeze->count;
      for (size_t i = 0; problem == NULL && i < freeze->count; ++i)
        if (freeze->threads[i].state == FROZEN_NOT)
          problem = thread_now () > until
                        ? freeze_late
                        : ask (&freeze->threads[i], except != 0);
      if (problem == NULL)
        problem = wait_for_all (freeze, except, until);
      if (problem == NULL && !freeze->spared)
        problem = add_all (freeze, pid, except);
    }
  if (problem == NULL && freeze->spared && is_anothers (freeze))
    problem = freeze_late;
  if (problem != NULL)
    freeze_thaw (freeze, 0);
  return problem;
}

void
freeze_thaw (struct freeze *freeze, pid_t except)
{
  for (size_t i = 0; i < freeze->count; ++i)
    {
      const struct frozen *thread = &freeze->threads[i];
      if (thread->state == FROZEN_STOPPED && thread->tid != except)
        thread_request (PTRACE_DETACH, thread->tid, 0);
    }
  free (freeze->threads);
  *freeze = (struct freeze){ NULL, 0, 0, false };
}

bool
freeze_may_be_tried_again (const char *problem)
{
  return problem == freeze_late || problem == freeze_busy;
}
