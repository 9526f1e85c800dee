/* hugetext adapt: repeatedly sample a process and put its hottest text on huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each round runs in its own child process, whose memory the kernel frees when
   the child ends, so that a loop of rounds that runs for days takes no more
   memory than one round.

   If the user names a process by its ID, the loop holds a descriptor of this
   process (pidfd), because the kernel may give the ID to another process
   later.  If the kernel has no pidfds, the loop compares the process's start
   time.  */

#include "adapt/adapt.h"
#include "adapt/history.h"
#include "adapt/locks.h"
#include "host/children.h"
#include "host/inspector.h"
#include "host/process.h"
#include "host/selection.h"
#include "object/elfobject.h"
#include "object/reason.h"
#include "sample/sample.h"
#include "text/columns.h"
#include "text/inspect.h"
#include "text/report.h"
#include "util/allocate.h"
#include "util/clock.h"
#include "util/signals.h"
#include "util/wait.h"
#include "util/count.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t round_child;

/* Memory that the loop shares with its child processes.  Each child does one
   round.  */
struct shared
{
  struct adapt_round round;
  size_t present; /* The index in the array HISTORIES of the current sample
                     history.  A round writes the new history to the element of
                     HISTORIES that does not contain the current one.  */
  struct history histories[2];
};

/* The results of all rounds of a loop.  */
struct done
{
  size_t rounds;
  size_t added, taken_back; /* The number of blocks that were put on huge
                               pages, and the number of blocks that were moved
                               back to small pages.  */
  bool saved;               /* True if samples were saved as profiles.  */
};

/* A loop of rounds that adapt a process: the request, and the process.  */
struct loop
{
  struct shared *shared;
  const struct adapt_request *request;
  int process; /* A descriptor of the process or command (pidfd).  The
                  descriptor is -1 in three cases: for a service, for a
                  process that does not exist, and before Linux 5.3.  */
  pid_t pid;   /* The ID of the process or command, or -1 for a service.  */
  struct process first;     /* The process with the ID PID when the loop began;
                               unused if PROCESS is a pidfd.  */
  struct adapt_locks locks; /* Locks on the processes.  */
  pid_t command;            /* The ID of the hugetext process that
                               starts the rounds.  */
  double seconds;           /* The number of seconds for which the next round
                               samples.  */
};

/* Handle SIGNAL: end the sampling now, and end the loop after the present
   round.  */
static void
adapt_handle_signal (int signal, siginfo_t *info, void *context)
{
  (void) info;
  (void) context;
  interrupted = 1;
  signals_send (round_child, signal);
}

/* Return true if another process has the ID of LOOP's process, or none.  Ask
   only once a second, because the inspector answers.  */
static bool
adapt_is_replaced (const struct loop *loop)
{
  static bool replaced;
  static double next;
  struct process now;
  struct problem ignored;
  if (!replaced && clock_seconds () >= next)
    {
      replaced = process_has_ended (loop->pid)
                 || (process_ask (loop->pid, &now, &ignored)
                     && !process_is_same (&loop->first, &now));
      next = clock_seconds () + 1;
    }
  return replaced;
}

/* Return true if LOOP's process has ended.  A service never counts as ended,
   because systemd may start another process for it.  */
static bool
adapt_has_ended (const struct loop *loop)
{
  const pid_t child = loop->request->child;
  siginfo_t info = { .si_pid = 0 };
  struct pollfd event = { .fd = loop->process, .events = POLLIN };
  if (loop->process >= 0)
    return poll (&event, 1, 0) > 0;
  /* Before Linux 5.3, and if a filter forbids the call, there is no pidfd.  */
  if (child == 0)
    return loop->pid > 0 && adapt_is_replaced (loop);
  /* This process has started the user's command, so only this process can wait
     for the command, and each round runs in another process.  */
  return (waitid (P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0
          && info.si_pid != 0);
}

/* The loop whose round this child makes.  */
static const struct loop *round_loop;

/* In the child process that makes a round, report PROBLEM with the process
   NAME.  If the loop's process has ended, report nothing: the end of this
   process ends the loop, but is no error.  */
static void
say_in_round (const char *name, const struct problem *problem)
{
  if (!adapt_has_ended (round_loop))
    round_loop->request->say (name, problem);
}

/* Return the number of seconds of CPU time that this command has used so far,
   including children that have ended.  */
static double
cpu_taken (void)
{
  double sum = 0;
  const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
  for (size_t i = 0; i < 2; ++i)
    {
      struct rusage usage;
      if (getrusage (whose[i], &usage) == 0)
        sum += (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
                + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6);
    }
  return sum;
}

/* Add the heat of all text of process PID to *ALL, and the heat of its text on
   huge pages to *HUGE.  HEATS contains the heat of each file.  */
static void
add_shares (pid_t pid, const struct attach_heats *heats, double *all,
            double *huge)
{
  struct inspection found;
  const struct hugetext_geometry geo = elfobject_geometry ();
  if (!inspect (pid, INSPECT_BRIEF, &found))
    return;
  for (size_t i = 0; i < found.objects.count; ++i)
    {
      const struct object_text *text = &found.objects.list[i];
      const struct hugetext_object object = { .bias = text->bias };
      const struct hugetext_heat heat
          = attach_heat_of (heats, text->device, text->inode);
      for (size_t k = 0; k < text->nblocks; ++k)
        {
          const struct text_block *block = &text->blocks[k];
          const double used = block->huge + block->small;
          const double here
              = hugetext_block_heat (&object, &geo, &heat, block->start);
          *all += here;
          *huge += used > 0 ? here * block->huge / used : 0;
        }
    }
  inspect_free (&found);
}

/* HEATS has samples in text of SELECTED's processes.  Return the percentage of
   these samples whose text is on huge pages now.  */
static double
share_of (const struct selected *selected, const struct attach_heats *heats)
{
  double all = 0, huge = 0;
  for (size_t i = 0; i < selected->count; ++i)
    {
      double text = 0, on_huge = 0;
      if (selected->pids[i] != 0)
        add_shares (selected->pids[i], heats, &text, &on_huge);
      if (!selected_has_ended (selected, i))
        {
          all += text;
          huge += on_huge;
        }
    }
  return all > 0 ? 100 * huge / all : 0;
}

static void
add_change (struct attach_change *sum, const struct attach_change *more)
{
  sum->added += more->added;
  sum->taken_back += more->taken_back;
  sum->wanted += more->wanted;
  sum->stops += more->stops;
  if (more->longest > sum->longest)
    sum->longest = more->longest;
  if (more->left > 0 && (sum->left == 0 || more->heat > sum->heat))
    {
      sum->left = more->left;
      sum->heat = more->heat;
      strcpy (sum->why, more->why);
      strcpy (sum->remedy, more->remedy);
    }
  if (sum->failed == HUGETEXT_NONE)
    sum->failed = more->failed;
}

/* Put the hottest blocks of the processes of SELECTED on huge pages.  HEATS
   contains the heat of each file.  Leave out processes that ended during
   sampling, unless all processes have ended.  */
static void
adapt_change_processes (const struct adapt_request *request,
                        const struct attach_heats *heats,
                        const struct selected *selected,
                        struct adapt_round *round)
{
  const struct attach_request attach
      = { .settings = request->settings, .heats = heats };
  for (size_t i = 0; i < selected->count; ++i)
    {
      struct attach_change one;
      char name[16];
      if (selected->pids[i] == 0)
        continue;
      snprintf (name, sizeof name, "%d", (int) selected->pids[i]);
      struct problem problem;
      const bool good = attach_by_heat (&attach, selected, i, &one, &problem);
      if (!good && selected_held_has_gone (selected, i))
        continue;
      if (!good)
        {
          say_in_round (name, &problem);
          ++round->refused;
        }
      add_change (&round->change, &one);
    }
}

/* Change the processes of SAMPLING.  Use the samples of SAMPLING, and the
   samples of earlier rounds in the history.  Write the sum of the new and the
   earlier samples to the history, for the next round.  */
static void
change_by_history (const struct loop *loop, const struct sampling *sampling,
                   struct adapt_round *round)
{
  struct shared *shared = loop->shared;
  const struct history *old = &shared->histories[shared->present];
  struct history *next = &shared->histories[!shared->present];
  const struct selected *selected = &sampling->selected;
  history_add (old, 0, sampling, next);
  const struct attach_heats new = history_heats (next);
  round->before = round->after = share_of (selected, &new);
  history_add (
      old,
      adapt_keep (old->samples, sampling->text, old->share, round->before),
      sampling, next);
  round->known = next->samples;
  round->changed
      = round->known >= PROFILE_SAMPLES_LEAST && !adapt_has_ended (loop);
  if (round->changed)
    {
      const struct attach_heats all = history_heats (next);
      adapt_change_processes (loop->request, &all, selected, round);
      round->after = share_of (selected, &new);
    }
  next->share = adapt_knows_share (sampling->text) ? round->after : old->share;
  shared->present = !shared->present;
}

/* Remove from SAMPLING the objects whose files the sampling was unable to
   read.  */
static void
drop_unread (struct sampling *sampling)
{
  size_t count = 0;
  for (size_t i = 0; i < sampling->nobjects; ++i)
    if (sampling->objects[i]->head.phdr != NULL)
      sampling->objects[count++] = sampling->objects[i];
  sampling->nobjects = count;
}

/* Save the profiles of SAMPLING, so that the next start of the program uses
   them.  If a profile with many samples cannot be saved, or the index cannot
   be compiled, report this and return false.  If LOOP's process has ended, a
   failure to read one of its files during sampling is not an error.  Report
   every other error, even if the process has ended.  */
static bool
adapt_save_profiles (const struct loop *loop, struct sampling *sampling)
{
  static const char caller[] = "hugetext adapt";
  const struct adapt_request *request = loop->request;
  if (adapt_has_ended (loop))
    drop_unread (sampling);
  sampling->say = request->say;
  const bool kept = sample_keep (sampling, caller, request->dir, NULL);
  return sample_tell_loader (caller, request->directory) && kept;
}

/* Set SELECTED to the process or command of LOOP, with the descriptor that the
   loop holds.  */
static void
hold_one (const struct loop *loop, struct selected *selected)
{
  selected->pids = allocate (sizeof *selected->pids);
  selected->pids[0] = loop->pid;
  selected_unheld (selected, 1);
  selected->processes[0] = loop->process;
}

/* Remove process PID from SELECTED.  */
static void
omit (const struct selected *selected, pid_t pid)
{
  for (size_t i = 0; i < selected->count; ++i)
    if (selected->pids[i] == pid)
      selected->pids[i] = 0;
}

/* Remove from SELECTED the processes that another "hugetext adapt" adapts.
   Return their number.  */
static size_t
omit_refused (const struct adapt_locks *locks, const struct selected *selected)
{
  size_t refused = 0;
  for (size_t i = 0; i < locks->count; ++i)
    if (locks->refused[i])
      {
        omit (selected, locks->pids[i]);
        ++refused;
      }
  return refused;
}

/* Do one round of sampling and changes for LOOP, and write the result to
   ROUND.  */
static void
make_round (const struct loop *loop, struct adapt_round *round)
{
  const struct adapt_request *request = loop->request;
  struct sampling sampling = { .seconds = loop->seconds, .say = say_in_round };
  struct problem problem = { 0 };
  bool good = true;
  if (request->service == NULL)
    hold_one (loop, &sampling.selected);
  else
    {
      good = selected_hold (NULL, request->service, &sampling.selected,
                            &problem);
      omit (&sampling.selected, loop->command);
      round->refused = omit_refused (&loop->locks, &sampling.selected);
    }
  good = good && sample (&sampling, &problem);
  if (!good)
    problem_from (&round->problem, &problem, "%s",
                  problem_is (&problem) ? problem.text
                  : request->service != NULL
                      ? "no process of the service can be sampled"
                      : "the process cannot be sampled");
  round->given = true;
  round->samples = sampling.text;
  if (!good || sampling.text == 0)
    return;
  change_by_history (loop, &sampling, round);
  round->unkept = !adapt_save_profiles (loop, &sampling);
}

/* Wait for the inspectors that this process and its children have started, so
   that cpu_taken counts their time.  Do not wait for an inspector that is
   blocked in the kernel.  */
static void
wait_for_others (void)
{
  const struct timespec step = { .tv_nsec = 1000000 };
  const double end = clock_seconds () + 1;
  pid_t child;
  inspector_end ();
  while ((child = waitpid (-1, NULL, WNOHANG)) >= 0 && clock_seconds () < end)
    if (child == 0)
      nanosleep (&step, NULL);
}

/* Do one round of sampling and changes for LOOP in the calling process, a
   child of PARENT, and exit.  Write the result to ROUND.  MASK is the signal
   mask that PARENT had before it blocked signals.  */
static void __attribute__ ((noreturn))
be_round (const struct loop *loop, struct adapt_round *round, pid_t parent,
          const sigset_t *mask)
{
  /* Until the round begins to sample, a signal that ends the loop kills this
     child, and thereby ends the round.  */
  sigprocmask (SIG_SETMASK, mask, NULL);
  if (!wait_end_with (parent, SIGTERM))
    _exit (0);
  /* If the parent of a descendant ends, this process becomes the new
     parent.  */
  prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  round_loop = loop;
  make_round (loop, round);
  wait_for_others ();
  _exit (0);
}

/* Hold locks on the processes of LOOP.  If another "hugetext adapt" adapts all
   of them, set PROBLEM and return false.  If it adapts some of them, report
   these; the round omits them.  */
static bool
take_locks (struct loop *loop, struct problem *problem)
{
  const struct adapt_request *request = loop->request;
  struct problem ignored;
  pid_t *list;
  size_t count;
  if (request->service == NULL)
    return (loop->pid <= 0
            || adapt_locks_take (&loop->locks, &loop->pid, 1, NULL,
                                 request->say, problem));
  /* The round reports why there are no processes.  */
  if (!selected_processes (NULL, request->service, &list, &count, &ignored))
    return true;
  const bool good = adapt_locks_take (&loop->locks, list, count,
                                      request->service, request->say, problem);
  free (list);
  return good;
}

/* Let a child make a round of LOOP, and write the result to ROUND.  */
static void
have_round (struct loop *loop, struct adapt_round *round)
{
  sigset_t signals, mask;
  *round = (struct adapt_round){ .given = false };
  /* The service may have new processes.  */
  if (loop->request->service != NULL && !take_locks (loop, &round->problem))
    return;
  /* A round for a service that runs this command itself must not find other
     processes of this command.  */
  inspector_end ();
  /* Block signals until the child exists, so that no signal is lost.  A signal
     that arrives before the fork is delivered to this process; a later signal
     is passed on to the child.  */
  sigemptyset (&signals);
  sigaddset (&signals, SIGINT);
  sigaddset (&signals, SIGTERM);
  sigprocmask (SIG_BLOCK, &signals, &mask);
  const pid_t parent = getpid (), child = interrupted ? -1 : fork ();
  if (child == 0)
    be_round (loop, round, parent, &mask);
  round_child = child;
  sigprocmask (SIG_SETMASK, &mask, NULL);
  int status = 0;
  while (child > 0 && waitpid (child, &status, 0) < 0 && errno == EINTR)
    continue;
  round_child = 0;
  /* If the child was killed while it changed the text, ROUND is incomplete,
     even if its member GIVEN is true.  */
  if (!round->given || (status != 0 && !interrupted))
    problem_set (&round->problem, "the child process that changes the text %s",
                 child < 0            ? "cannot be started"
                 : WIFEXITED (status) ? "has failed"
                                      : "was killed");
}

/* Print the result of ROUND, which is round number NUMBER.  ENDED is true if
   the process to adapt has ended.  */
static void
print_round (const struct adapt_round *round, size_t number, bool ended)
{
  const struct attach_change *change = &round->change;
  char after[16], before[16];
  printf ("round %zu: " COUNT_FORMAT " of text", number,
          COUNT (round->samples, "sample"));
  if (round->changed)
    printf (
        "; " COUNT_FORMAT
        " put on huge pages, %zu moved back to small pages; " COUNT_FORMAT
        ", the "
        "longest %.1f ms; share of the samples on huge pages: %s, before %s\n",
        COUNT (change->added, "block"), change->taken_back,
        COUNT (change->stops, "stop"), change->longest,
        column_share_text (round->after, after),
        column_share_text (round->before, before));
  else if (ended)
    puts ("; the process has ended");
  else if (interrupted)
    puts ("; interrupted");
  else
    printf (", too few to choose blocks by (" COUNT_FORMAT " are needed)\n",
            COUNT (PROFILE_SAMPLES_LEAST, "sample"));
  if (round->changed && round->after == 0 && change->left > 0)
    report_reason (stdout, 4, change->why, change->remedy);
  fflush (stdout);
}

/* Add ROUND to DONE.  */
static void
add_round (struct done *done, const struct adapt_round *round)
{
  ++done->rounds;
  if (round->changed)
    {
      done->added += round->change.added;
      done->taken_back += round->change.taken_back;
    }
  done->saved |= round->samples > 0 && !round->unkept;
}

/* Print that REQUEST's process has ended, and print the results of all rounds,
   which are in DONE.  */
static void
print_ended (const struct adapt_request *request, const struct done *done)
{
  if (done->rounds == 0)
    printf ("done: the process has ended before the first round; nothing was "
            "changed%s\n",
            request->after > 0 ? "; to begin earlier: --after=SECONDS" : "");
  else
    printf ("done: the process has ended; " COUNT_FORMAT ": " COUNT_FORMAT
            " put on "
            "huge pages, %zu moved back to small pages%s%s\n",
            COUNT (done->rounds, "round"), COUNT (done->added, "block"),
            done->taken_back, done->saved ? "; the samples are saved in " : "",
            done->saved ? request->directory : "");
}

/* Return true if LOOP should do another round: no signal has arrived, and the
   adapted process still exists.  */
static bool
adapt_has_next_round (const struct loop *loop)
{
  return !interrupted && !adapt_has_ended (loop);
}

/* Wait for SECONDS.  Return false as soon as a signal arrives, or the adapted
   process ends.  */
static bool
adapt_wait_seconds (const struct loop *loop, double seconds)
{
  const struct timespec step = { .tv_nsec = 50000000 };
  const double end = clock_seconds () + seconds;
  while (adapt_has_next_round (loop) && clock_seconds () < end)
    nanosleep (&step, NULL);
  return adapt_has_next_round (loop);
}

/* Install the signal handlers that end the loop.  */
static void
adapt_watch_signals (void)
{
  static const int numbers[] = { SIGINT, SIGTERM };
  signals_catch (numbers, sizeof numbers / sizeof *numbers,
                 adapt_handle_signal);
}

/* Return the name of REQUEST's process, service or command for messages.  */
static const char *
name_of (const struct adapt_request *request)
{
  return (request->service != NULL   ? request->service
          : request->process != NULL ? request->process
                                     : "the command");
}

/* Set PROBLEM to a message that says that ROUND had too few samples of
   REQUEST's process.  If the process has children, suggest sampling them
   instead, because they may do its work.  */
static void
explain_few (const struct adapt_request *request,
             const struct adapt_round *round, struct problem *problem)
{
  char children[CHILDREN_WORDS];
  if (request->process != NULL
      && children_describe (atoi (request->process), children))
    problem_set (problem,
                 "there are too few samples of text (%" PRIu64 " of %d); %s. "
                 "Remedy: name one of these children, or their service with "
                 "--service=SERVICE",
                 round->known, PROFILE_SAMPLES_LEAST, children);
  else
    problem_set (problem,
                 "there are too few samples of text (%" PRIu64 " of %d): "
                 "sample for longer with --seconds, or while the process is "
                 "busy",
                 round->known, PROFILE_SAMPLES_LEAST);
}

/* Return true if ROUND, the last round, had enough samples and no problem, and
   changed all the blocks that it planned to change.  If ROUND was not
   complete, report the reason for REQUEST's process, unless the round has
   already reported it, and return false.  */
static bool
check_round (const struct adapt_request *request,
             const struct adapt_round *round)
{
  const struct attach_change *change = &round->change;
  struct problem problem;
  /* With --every, the loop has already reported the problem.  */
  if (problem_is (&round->problem) && request->every > 0)
    return false;
  if (problem_is (&round->problem))
    problem = round->problem;
  else if (round->known < PROFILE_SAMPLES_LEAST)
    explain_few (request, round, &problem);
  else if (change->wanted > 0)
    problem_set (
        &problem,
        COUNT_FORMAT " could not be changed%s%s; call hugetext adapt again",
        COUNT (change->wanted, "block"),
        change->failed != HUGETEXT_NONE ? ": " : "",
        change->failed != HUGETEXT_NONE ? reason_words (change->failed) : "");
  else
    return round->refused == 0;
  request->say (name_of (request), &problem);
  return false;
}

/* Return the ID of REQUEST's process or command, or -1 for a service.  */
static pid_t
find_pid (const struct adapt_request *request)
{
  return (request->child > 0         ? request->child
          : request->process != NULL ? inspect_pid (request->process)
                                     : -1);
}

bool
adapt (const struct adapt_request *request)
{
  const double start = clock_seconds ();
  const pid_t pid = find_pid (request);
  struct loop loop
      = { .request = request,
          .pid = pid,
          .locks = { .file = -1 },
          .command = getpid (),
          .process = pid > 0 ? syscall (__NR_pidfd_open, pid, 0) : -1,
          .seconds = request->seconds };
  struct done done = { .rounds = 0 };
  size_t quiet = 0;
  enum adapt_end end = ADAPT_GOES_ON;
  struct shared *shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    {
      struct problem problem;
      problem_system (&problem, errno);
      request->say ("adapt", &problem);
      return false;
    }
  struct adapt_round *round = &shared->round;
  struct problem problem;
  loop.shared = shared;
  if (loop.process < 0 && pid > 0)
    process_ask (pid, &loop.first, &problem);
  if (!take_locks (&loop, &problem))
    {
      request->say (name_of (request), &problem);
      adapt_locks_free (&loop.locks);
      munmap (shared, sizeof *shared);
      return false;
    }
  /* If the user has given a command to run, run/supervise handles signals and
     passes them on to the command.  */
  if (request->child == 0)
    adapt_watch_signals ();
  bool more = adapt_wait_seconds (&loop, request->after);
  while (more)
    {
      have_round (&loop, round);
      if (problem_is (&round->problem)
          && (request->every == 0 || interrupted || adapt_has_ended (&loop)))
        break;
      add_round (&done, round);
      if (problem_is (&round->problem))
        request->say (name_of (request), &round->problem);
      else
        {
          print_round (round, done.rounds, adapt_has_ended (&loop));
          loop.seconds = adapt_seconds (loop.seconds, round->samples,
                                        round->known, request->seconds);
        }
      quiet = adapt_is_quiet (round) ? quiet + 1 : 0;
      end = adapt_is_done (request, done.rounds, quiet);
      const double every
          = adapt_every (round->samples, round->known, request->every);
      more = (end == ADAPT_GOES_ON
              && adapt_wait_seconds (
                  &loop, adapt_pause (cpu_taken (), clock_seconds () - start,
                                      request->percent, every)));
    }
  const bool ended = adapt_has_ended (&loop), cut_short = interrupted || ended;
  if (end == ADAPT_SETTLED)
    puts ("done: two rounds in a row have changed nothing");
  else if (end == ADAPT_GOES_ON && ended)
    print_ended (request, &done);
  const bool good
      = (cut_short || check_round (request, round)) && !round->unkept;
  munmap (shared, sizeof *shared);
  adapt_locks_free (&loop.locks);
  if (loop.process >= 0)
    close (loop.process);
  return good;
}
