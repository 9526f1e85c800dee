/* Stop, for some microseconds, all other threads of a process, and all threads
   of the processes that share its memory (CLONE_VM).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/freeze.h"
#include "tracee/blocked.h"
#include "tracee/refusal.h"
#include "host/process.h"
#include "tracee/thread.h"
#include "tracee/watch.h"
#include "util/signals.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Return true if thread TID is a kernel thread that works for io_uring or
   vhost.  A kernel thread never runs the program, and a stop would make its
   work fail.  */
static bool
is_worker (pid_t tid)
{
  char name[8];
  struct process process;
  /* Read the thread's name first, because reading it takes the least time.  If
     the name is that of a kernel thread for io_uring or vhost, check other
     facts as well, because any thread may have this name.  */
  return (
      process_text (tid, "comm", name, sizeof name) > 0
      && (strncmp (name, "iou-", 4) == 0 || strncmp (name, "vhost", 5) == 0)
      && process_read (tid, &process) && process.worker);
}

/* Return the entry of TID if the command has asked this thread to stop,
   otherwise NULL. *NEXT is the likely index of the entry.  *NEXT saves time in
   a process with thousands of threads, because the kernel usually lists
   threads in the order in which the command asked them to stop.  */
static struct frozen *
freeze_find_thread (const struct freeze *freeze, pid_t tid, size_t *next)
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

/* Ask thread TID of process PID to stop.  Return HUGETEXT_NONE, or the reason
   why the thread cannot be stopped.  */
static enum hugetext_reason
freeze_ask_thread (struct freeze *freeze, pid_t pid, pid_t tid, bool addressed)
{
  long since;
  if (is_worker (tid))
    return HUGETEXT_NONE;
  /* A thread that waits for a disk, or for a child that it made by vfork,
     would stop late.  */
  if (addressed && blocked_state (tid) == 'D')
    return REASON_LATE;
  if (freeze->count == freeze->room)
    {
      size_t room = 2 * freeze->room + 32;
      struct frozen *threads
          = reallocarray (freeze->threads, room, sizeof *threads);
      if (threads == NULL)
        return REASON_NO_MEMORY;
      freeze->threads = threads;
      freeze->room = room;
    }
  const bool seized = blocked_seize (pid, tid, 0, &since);
  const int error = errno;
  /* A thread may have started another thread just before it ended, so search
     for threads again.  */
  if (seized || (error == ESRCH && tid != pid))
    ++freeze->asked;
  if (!seized)
    {
      /* Ignore a thread that this process already traces because the thread
         was late for an earlier stop.  Also ignore the first thread of a
         process if this thread has ended: it stays as a zombie until the last
         thread ends.  */
      return error == EBUSY ? REASON_BUSY
             : error == ETIMEDOUT
                     || process_number (tid, "TracerPid:") == getpid ()
                 ? REASON_LATE
                 : (error == ESRCH
                            || strchr ("XZ", blocked_state (tid)) != NULL
                        ? HUGETEXT_NONE
                        : REASON_NOT_TRACED);
    }
  freeze->threads[freeze->count++]
      = (struct frozen){ .tid = tid, .addressed = addressed, .since = since };
  freeze->last = tid > freeze->last ? tid : freeze->last;
  ptrace (PTRACE_INTERRUPT, tid, NULL, NULL);
  return HUGETEXT_NONE;
}

/* The steps in which the command stops the threads of a process.  */
enum step
{
  LOOK,          /* Check whether the threads may be stopped.  */
  ASK_OTHERS,    /* Ask the threads to stop, except those to which the kernel
                    prefers to deliver signals for the process
                    (blocked_is_addressed).  */
  ASK_ADDRESSED, /* Ask the remaining threads to stop.  */
};

/* Carry out STEP for each thread of PID that was not yet asked to stop.  Omit
   the thread EXCEPT.  Return HUGETEXT_NONE, or the reason why a thread cannot
   be stopped.  If STEP is not finished at the time UNTIL, return
   REASON_LATE.  */
static enum hugetext_reason
for_threads (struct freeze *freeze, pid_t pid, pid_t except, enum step step,
             long until)
{
  char path[64];
  enum hugetext_reason problem = HUGETEXT_NONE;
  size_t next = 0;
  long since;
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return REASON_NOT_LISTED;
  const struct dirent *entry;
  while (problem == HUGETEXT_NONE && (entry = readdir (dir)) != NULL)
    {
      pid_t tid = atoi (entry->d_name);
      if (!isdigit ((unsigned char) entry->d_name[0]) || tid == except
          || freeze_find_thread (freeze, tid, &next) != NULL)
        continue;
      if (thread_now () > until)
        problem = REASON_LATE;
      else if (step == LOOK)
        problem = blocked_in (pid, tid, &since) == BLOCKED_SHORT
                      ? REASON_BUSY
                      : HUGETEXT_NONE;
      else if (step == ASK_ADDRESSED || !blocked_is_addressed (pid, tid))
        problem = freeze_ask_thread (freeze, pid, tid, step == ASK_ADDRESSED);
    }
  closedir (dir);
  return problem;
}

/* Carry out STEP for the threads of PID and for the threads of all processes
   that share the memory of PID.  The result and the other parameters are those
   of for_threads.  */
static enum hugetext_reason
for_all (struct freeze *freeze, pid_t pid, pid_t except, enum step step,
         long until)
{
  enum hugetext_reason problem
      = for_threads (freeze, pid, except, step, until);
  if (freeze->nsharers > FREEZE_SHARERS)
    return REASON_SHARED_MEMORY;
  for (size_t i = 0; problem == HUGETEXT_NONE && i < freeze->nsharers; ++i)
    /* A process that shared the memory of PID no longer does so after it has
       ended or executed another program.  */
    if (thread_has_memory_of (freeze->sharers[i], pid))
      problem = for_threads (freeze, freeze->sharers[i], except, step, until);
  return problem;
}

/* The progress of a child that searches a list of processes
   (search_sharers).  */
struct search
{
  size_t at; /* The index of the process that the child is examining.  */
  struct freeze found;
};

/* Search LIST, which has N processes, for processes that share the memory of
   PID.  Begin at the process in LIST that has the index in SEARCH.  */
static void
search_sharers (volatile struct search *search, const pid_t *list, size_t n,
                pid_t pid)
{
  for (; search->at < n; ++search->at)
    if (list[search->at] != pid && thread_has_memory_of (list[search->at], pid)
        && search->found.nsharers <= FREEZE_SHARERS
        && search->found.nsharers++ < FREEZE_SHARERS)
      search->found.sharers[search->found.nsharers - 1] = list[search->at];
}

/* Wait for CHILD, which runs search_sharers.  Return true when CHILD has
   ended.  Return false as soon as CHILD has waited in the kernel for 20 ms
   while examining one process.  */
static bool
await_search (pid_t child, const volatile struct search *search)
{
  size_t before = search->at;
  unsigned int waits = 0;
  while (waitpid (child, NULL, WNOHANG) == 0)
    {
      nanosleep (&(struct timespec){ .tv_nsec = 1000000 }, NULL);
      waits = search->at == before && blocked_state (child) == 'D' ? waits + 1
                                                                   : 0;
      before = search->at;
      if (waits >= 20)
        return false;
    }
  return true;
}

void
freeze_prepare (struct freeze *freeze, pid_t pid)
{
  pid_t *list;
  const ssize_t n = process_list (&list);
  volatile struct search *search
      = mmap (NULL, sizeof *search, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  freeze->nsharers = 0;
  /* kcmp waits while one of the two processes is in execve, for ever if the
     execve closes a file of a FUSE server that does not answer.  If kcmp does
     not return, the compared process is in execve, which gives it new memory.
     Such a process no longer shares the memory of PID.  Kill the blocked
     child, and let another child continue with the next process.  */
  bool done = n < 0 || search == MAP_FAILED;
  while (!done)
    {
      const pid_t child = fork ();
      if (child == 0)
        {
          search_sharers (search, list, n, pid);
          _exit (0);
        }
      if (child < 0)
        search_sharers (search, list, n, pid);
      done = child < 0 || await_search (child, search);
      if (!done)
        {
          signals_send (child, SIGKILL);
          waitpid (child, NULL, 0);
          ++search->at;
        }
    }
  if (search != MAP_FAILED)
    {
      freeze->nsharers = search->found.nsharers;
      memcpy (freeze->sharers, (const void *) search->found.sharers,
              sizeof freeze->sharers);
      munmap ((void *) search, sizeof *search);
    }
  if (n >= 0)
    free (list);
}

/* Record that THREAD has stopped with STATUS.  */
static void
note_stop (struct frozen *thread, int status)
{
  thread->stopped = true;
  /* The thread has stopped because it was about to receive a signal, not
     because of ptrace or job control.  */
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

/* Wait until all threads that were asked to stop have stopped, but at most
   until the time UNTIL.  Return HUGETEXT_NONE, or the reason why some threads
   have not stopped.  If the thread EXCEPT has ended, return REASON_GONE.  When
   a thread other than the first executes a program, its ID becomes that of the
   first thread.  */
static enum hugetext_reason
wait_for_all (struct freeze *freeze, pid_t except, long until)
{
  size_t next = 0;
  while (!have_all_stopped (freeze))
    {
      int status;
      pid_t tid = waitpid (-1, &status, __WALL | WNOHANG);
      struct frozen *thread
          = tid > 0 ? freeze_find_thread (freeze, tid, &next) : NULL;
      if (tid < 0)
        /* Return REASON_GONE, because the process has no threads left.  */
        freeze->count = 0;
      else if (tid == except)
        return REASON_GONE;
      else if (thread != NULL && WIFSTOPPED (status))
        note_stop (thread, status);
      else if (thread != NULL)
        /* The thread has ended.  */
        *thread = freeze->threads[--freeze->count];
      else if (tid > 0 && WIFSTOPPED (status))
        release_thread (tid, status);
      else if (thread_now () > until)
        return REASON_LATE;
      else if (tid == 0)
        nanosleep (&(struct timespec){ .tv_nsec = 20000 }, NULL);
    }
  return HUGETEXT_NONE;
}

/* The kernel prefers some threads when it delivers signals for the process
   (blocked_is_addressed).  The command stops the preferred threads last: while
   they are stopped, a signal for the process would interrupt a system call of
   another thread.  ADDRESSED_PATIENCE is the number of nanoseconds reserved
   for stopping the preferred threads.  */
#define ADDRESSED_PATIENCE 40000000L

enum hugetext_reason
freeze_others (struct freeze *freeze, pid_t pid, pid_t except,
               unsigned int milliseconds)
{
  const long begin = thread_now ();
  const long most = begin + milliseconds * 1000000L + ADDRESSED_PATIENCE;
  long until = begin + milliseconds * 1000000L;
  /* Some threads did not stop in time in an earlier attempt, and have stopped
     since then.  Before the next attempt, let these threads continue.  */
  freeze_thaw (freeze);
  enum hugetext_reason busy = for_all (freeze, pid, except, LOOK, until);
  if (busy != HUGETEXT_NONE)
    return busy;
  for (;;)
    {
      const size_t before = freeze->asked;
      enum hugetext_reason problem
          = for_all (freeze, pid, except, ASK_OTHERS, until);
      if (problem == HUGETEXT_NONE)
        problem = wait_for_all (freeze, except, until);
      if (problem == HUGETEXT_NONE)
        {
          const long least = thread_now () + ADDRESSED_PATIENCE;
          until = least > until ? least : until;
          until = until < most ? until : most;
          problem = for_all (freeze, pid, except, ASK_ADDRESSED, until);
        }
      const bool grew = freeze->asked > before;
      if (problem == HUGETEXT_NONE)
        problem = wait_for_all (freeze, except, until);
      if (problem != HUGETEXT_NONE)
        {
          freeze_thaw (freeze);
          return problem;
        }
      if (!grew)
        return HUGETEXT_NONE;
    }
}

/* Let THREAD continue, and detach from it.  If THREAD has not stopped yet,
   return false and leave it traced, because ptrace can detach only from a
   stopped thread.  */
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

void
freeze_end (struct freeze *freeze)
{
  enum
  {
    TRIES = 1000, /* The maximum number of tries; the pause between two tries
                     is a millisecond.  */
  };
  freeze_thaw (freeze);
  for (int i = 0; freeze->count > 0 && i < TRIES; ++i)
    {
      usleep (1000);
      freeze_thaw (freeze);
    }
  free (freeze->threads);
}

bool
freeze_may_be_tried_again (enum hugetext_reason problem)
{
  return problem == REASON_LATE || problem == REASON_BUSY;
}
