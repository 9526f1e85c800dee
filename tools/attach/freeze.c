/* A stop of the other threads of a process for some microseconds.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/freeze.h"
#include "tracee/blocked.h"
#include "tracee/refusal.h"
#include "host/process.h"
#include "tracee/thread.h"
#include "tracee/watch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

static const char freeze_late[] = "its other threads did not stop in time";
static const char freeze_busy[]
    = "other threads are at moving bytes (write, send), which a stop would cut"
      " short";

/* Whether thread TID is a kernel thread at work for io_uring or vhost, which
   never runs the program.  Its work would fail if it were stopped.  */
static bool
is_worker (pid_t tid)
{
  char name[8];
  struct process process;
  /* Look at the name first; other facts take longer to read, and any thread
     may have such a name.  */
  return (
      process_text (tid, "comm", name, sizeof name) > 0
      && (strncmp (name, "iou-", 4) == 0 || strncmp (name, "vhost", 5) == 0)
      && process_read (tid, &process) && process.worker);
}

/* Return TID, if it has been asked to stop, or else NULL.  *NEXT is its likely
   index: threads are usually listed in the order in which they were asked, and
   there may be thousands.  */
static struct frozen *
find (const struct freeze *freeze, pid_t tid, size_t *next)
{
  for (size_t i = 0; tid <= freeze->last && i < freeze->count; ++i)
    {
      size_t k = (*next + i) % freeze->count;
      if (freeze->threads[k].tid == tid)
        {
          *next = k + 1;
          return &freeze->threads[k];
        }
    }
  return NULL;
}

/* Ask thread TID of PID to stop.  Return NULL or why that is not possible.  */
static const char *
ask (struct freeze *freeze, pid_t pid, pid_t tid, bool addressed)
{
  long since;
  if (is_worker (tid))
    return NULL;
  if (blocked_in (pid, tid, &since) == BLOCKED_SHORT)
    return freeze_busy;
  /* It would be late, waiting for a disk or for a child of vfork.  */
  if (addressed && blocked_state (tid) == 'D')
    return freeze_late;
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
  const bool seized = thread_seize (tid, 0);
  const int error = errno;
  /* A thread that is not there any more may have started another.  */
  if (seized || (error == ESRCH && tid != pid))
    ++freeze->asked;
  if (!seized)
    {
      /* The first thread stays as a zombie until the last one ends.  */
      return error == ETIMEDOUT
                 ? freeze_late
                 : (error == ESRCH
                            || strchr ("XZ", blocked_state (tid)) != NULL
                        ? NULL
                        : tracee_not_permitted (tid, error));
    }
  freeze->threads[freeze->count++]
      = (struct frozen){ .tid = tid, .addressed = addressed, .since = since };
  freeze->last = tid > freeze->last ? tid : freeze->last;
  ptrace (PTRACE_INTERRUPT, tid, NULL, NULL);
  return NULL;
}

/* What is done with threads.  */
enum step
{
  LOOK,          /* Find out whether they may be stopped.  */
  ASK_OTHERS,    /* Ask those to stop that are not addressed,  */
  ASK_ADDRESSED, /* and all.  */
};

/* Go over the threads of PID but EXCEPT that have not been asked to stop,
   until the time UNTIL, and do STEP.  Return NULL or why one cannot be
   stopped.  */
static const char *
for_all (struct freeze *freeze, pid_t pid, pid_t except, enum step step,
         long until)
{
  char path[64];
  const char *problem = NULL;
  size_t next = 0;
  long since;
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return tracee_gone (errno);
  const struct dirent *entry;
  while (problem == NULL && (entry = readdir (dir)) != NULL)
    {
      pid_t tid = atoi (entry->d_name);
      if (!isdigit ((unsigned char) entry->d_name[0]) || tid == except
          || find (freeze, tid, &next) != NULL)
        continue;
      if (thread_now () > until)
        problem = freeze_late;
      else if (step == LOOK)
        problem = blocked_in (pid, tid, &since) == BLOCKED_SHORT ? freeze_busy
                                                                 : NULL;
      else if (step == ASK_ADDRESSED || !blocked_is_addressed (pid, tid))
        problem = ask (freeze, pid, tid, step == ASK_ADDRESSED);
    }
  closedir (dir);
  return problem;
}

/* Note that THREAD has stopped with STATUS.  */
static void
note_stop (struct frozen *thread, int status)
{
  thread->stopped = true;
  /* A stop by a signal, not one of ptrace's or of job control.  */
  if (status >> 16 == 0)
    thread->signal = WSTOPSIG (status);
  release_prepare (thread->tid, thread->since);
}

static bool
have_all_stopped (const struct freeze *freeze)
{
  for (size_t i = 0; i < freeze->count; ++i)
    if (!freeze->threads[i].stopped)
      return false;
  return true;
}

/* Wait until all threads that were asked have stopped, at most until the time
   UNTIL.  Return NULL, or why they have not.  A thread that has executed a
   program has another ID then; if EXCEPT has ended, the freeze is over.  */
static const char *
wait_for_all (struct freeze *freeze, pid_t except, long until)
{
  size_t next = 0;
  while (!have_all_stopped (freeze))
    {
      int status;
      pid_t tid = waitpid (-1, &status, __WALL | WNOHANG);
      struct frozen *thread = tid > 0 ? find (freeze, tid, &next) : NULL;
      if (tid < 0)
        /* No thread is left.  */
        freeze->count = 0;
      else if (tid == except)
        return "it has ended, or executed another program";
      else if (thread != NULL && WIFSTOPPED (status))
        note_stop (thread, status);
      else if (thread != NULL)
        /* It has ended.  */
        *thread = freeze->threads[--freeze->count];
      else if (tid > 0 && WIFSTOPPED (status))
        release_thread (tid, status);
      else if (thread_now () > until)
        return freeze_late;
      else if (tid == 0)
        nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
    }
  return NULL;
}

/* The least time for threads that are addressed, in nanoseconds: they must not
   be traced while others run.  */
#define ADDRESSED_PATIENCE 40000000L

const char *
freeze_others (struct freeze *freeze, pid_t pid, pid_t except,
               unsigned int milliseconds)
{
  long until = thread_now () + milliseconds * 1000000L;
  /* Forget threads that were late, and have been let go since.  */
  freeze_thaw (freeze);
  const char *busy = for_all (freeze, pid, except, LOOK, until);
  if (busy != NULL)
    return busy;
  for (;;)
    {
      const size_t before = freeze->asked;
      const char *problem = for_all (freeze, pid, except, ASK_OTHERS, until);
      if (problem == NULL)
        problem = wait_for_all (freeze, except, until);
      if (problem == NULL)
        {
          const long least = thread_now () + ADDRESSED_PATIENCE;
          until = least > until ? least : until;
          problem = for_all (freeze, pid, except, ASK_ADDRESSED, until);
        }
      const bool grew = freeze->asked > before;
      if (problem == NULL)
        problem = wait_for_all (freeze, except, until);
      if (problem != NULL)
        {
          freeze_thaw (freeze);
          return problem;
        }
      if (!grew)
        return NULL;
    }
}

/* Have THREAD run on.  False if it has not stopped yet: only a stopped thread
   can be detached from.  */
static bool
thaw (struct frozen *thread)
{
  int status;
  if (!thread->stopped)
    {
      pid_t tid = waitpid (thread->tid, &status, __WALL | WNOHANG);
      if (tid <= 0 || !WIFSTOPPED (status))
        return tid != 0;
      note_stop (thread, status);
    }
  ptrace (PTRACE_DETACH, thread->tid, NULL, (long) thread->signal);
  return true;
}

void
freeze_thaw (struct freeze *freeze)
{
  size_t late = 0;
  for (size_t i = 0; i < 2 * freeze->count; ++i)
    {
      struct frozen *thread = &freeze->threads[i % freeze->count];
      if (thread->tid != 0 && thread->addressed == (i < freeze->count)
          && thaw (thread))
        thread->tid = 0;
    }
  for (size_t i = 0; i < freeze->count; ++i)
    if (freeze->threads[i].tid != 0)
      freeze->threads[late++] = freeze->threads[i];
  freeze->count = late;
  if (late > 0)
    watch_late ();
}

bool
freeze_may_be_tried_again (const char *problem)
{
  return problem == freeze_late || problem == freeze_busy;
}
