/* A stop of the other threads of a process for some microseconds.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/freeze.h"
#include "tracee/blocked.h"
#include "tracee/refusal.h"
#include "tracee/thread.h"
#include "host/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char freeze_late[] = "its other threads did not stop in time";
static const char freeze_busy[]
    = "other threads are at moving bytes (write, send), which a stop would cut"
      " short";

static int
compare (const void *one, const void *other)
{
  return ((const struct frozen *) one)->tid
         - ((const struct frozen *) other)->tid;
}

/* Return the thread TID among those that were asked in earlier rounds.  */
static struct frozen *
find (const struct freeze *freeze, pid_t tid)
{
  const struct frozen key = { .tid = tid };
  return freeze->sorted == 0 ? NULL
                             : bsearch (&key, freeze->threads, freeze->sorted,
                                        sizeof key, compare);
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

/* Ask thread TID to stop.  Return NULL or why that is not possible.  */
static const char *
ask (struct freeze *freeze, pid_t tid)
{
  if (is_worker (tid))
    return NULL;
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
  if (!thread_seize (tid, 0))
    {
      const int error = errno;
      struct process process;
      if (error == ESRCH || !process_read (tid, &process) || process.ended)
        return NULL;
      return error == ETIMEDOUT
                     || process_number (tid, "TracerPid:") == getpid ()
                 ? freeze_late
                 : tracee_not_permitted (tid, error);
    }
  freeze->threads[freeze->count++]
      = (struct frozen){ .tid = tid, .asked = true };
  thread_request (PTRACE_INTERRUPT, tid, 0);
  return NULL;
}

/* Go over the threads of PID but EXCEPT, until the time UNTIL: ask those to
   stop that have not been asked; with LOOK only find out whether they may be
   stopped.  Return NULL or why one cannot be.  */
static const char *
for_all (struct freeze *freeze, pid_t pid, pid_t except, bool look, long until)
{
  char path[64];
  const char *problem = NULL;
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return "it has ended";
  const struct dirent *entry;
  while (problem == NULL && (entry = readdir (dir)) != NULL)
    {
      pid_t tid = atoi (entry->d_name);
      if (tid <= 0 || tid == except || find (freeze, tid) != NULL)
        continue;
      if (thread_now () > until)
        problem = freeze_late;
      else if (!look)
        problem = ask (freeze, tid);
      else if (blocked_in (pid, tid) == BLOCKED_SHORT)
        problem = freeze_busy;
    }
  closedir (dir);
  if (freeze->count > 0)
    qsort (freeze->threads, freeze->count, sizeof *freeze->threads, compare);
  freeze->sorted = freeze->count;
  return problem;
}

/* Note that THREAD has stopped, or ended, with STATUS.  */
static void
note (struct frozen *thread, int status)
{
  thread->asked = false;
  thread->stopped = WIFSTOPPED (status);
  if (!thread->stopped)
    return;
  thread->signal = thread_to_pass_on (status);
  /* A stop of ptrace's or of job control, not by a signal.  */
  if (status >> 16 != 0)
    blocked_prepare (thread->tid);
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
      if (!freeze->threads[i].asked)
        {
          ++i;
          continue;
        }
      pid_t tid = waitpid (-1, &status, __WALL | WNOHANG);
      struct frozen *thread = tid > 0 ? find (freeze, tid) : NULL;
      if (tid < 0)
        /* No thread is left.  */
        freeze->count = freeze->sorted = 0;
      else if (tid == except)
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

const char *
freeze_others (struct freeze *freeze, pid_t pid, pid_t except,
               unsigned int milliseconds)
{
  const long until = thread_now () + milliseconds * 1000000L;
  const char *problem = for_all (freeze, pid, except, true, until);
  for (size_t before = SIZE_MAX; problem == NULL && freeze->count != before;)
    {
      before = freeze->count;
      problem = for_all (freeze, pid, except, false, until);
      if (problem == NULL)
        problem = wait_for_all (freeze, except, until);
    }
  if (problem != NULL)
    freeze_thaw (freeze);
  return problem;
}

void
freeze_thaw (struct freeze *freeze)
{
  for (size_t i = 0; i < freeze->count; ++i)
    {
      struct frozen *thread = &freeze->threads[i];
      int status;
      if (thread->asked
          && waitpid (thread->tid, &status, __WALL | WNOHANG) == thread->tid)
        note (thread, status);
      if (thread->stopped)
        thread_request (PTRACE_DETACH, thread->tid, thread->signal);
    }
  free (freeze->threads);
  *freeze = (struct freeze){ NULL, 0, 0, 0 };
}

bool
freeze_may_be_tried_again (const char *problem)
{
  return problem == freeze_late || problem == freeze_busy;
}
