/* hugetext adapt: repeatedly sample a process and put its hottest text on huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ADAPT_H
#define ADAPT_H

#include "attach/attach.h"
#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The user's request to adapt: the processes to adapt, and the limits for the
   work.  */
struct adapt_request
{
  const char *process, *service; /* The process or the service, as parameters
                                    for selected_processes.  PROCESS and
                                    SERVICE are NULL if the user has given a
                                    command to start and adapt.  */
  pid_t child;                   /* The process ID of the command that the user
                                    has given, or 0 if the user has given no
                                    command.  */
  struct settings settings;      /* Settings that override those of the
                                    process.  */
  double seconds;                /* The duration of the sampling of a round in
                                    seconds.  */
  double after;                  /* The number of seconds to wait before the
                                    first round.  */
  double every;   /* The minimum number of seconds between rounds.  If EVERY is
                     0, the loop ends after QUIET_MOST successive rounds that
                     have changed nothing.  */
  double percent; /* The maximum CPU time that the command itself may use,
                     in per cent of one processor.  */
  double rounds;  /* The maximum number of rounds, or 0 if the number of rounds
                     is not limited.  */
  const char *directory; /* The directory of profiles.  */
  int dir;               /* The descriptor of the directory of profiles.  */
  /* A function that reports why the process NAME cannot be adapted at all, or
     only in part.  */
  void (*say) (const char *name, const struct problem *problem);
};

/* The result of a round.  */
struct adapt_round
{
  bool given;
  struct problem problem;      /* The reason why the round changed nothing, if
                                  it has failed.  */
  uint64_t samples;            /* The number of samples of this round that are
                                  in text.  */
  uint64_t known;              /* SAMPLES plus the number of samples of earlier
                                  rounds, in which an earlier sample counts
                                  less than a new sample.  */
  double before, after;        /* The percentage of the samples in text that
                                  are in text on huge pages, before and after
                                  the round has changed the processes.  */
  bool changed;                /* True if the member CHANGE is valid, because
                                  there were enough samples, and the process
                                  had not ended.  */
  struct attach_change change; /* The sums of the changes in all processes.  */
  size_t refused;              /* The number of processes that could not be
                                  changed at all; the round has reported the
                                  reason.  */
  bool unkept;                 /* True if a profile could not be saved, or the
                                  index could not be compiled; the round has
                                  reported the reason.  */
};

/* The reasons why the loop ends after a round.  */
enum adapt_end
{
  ADAPT_GOES_ON,
  ADAPT_SETTLED, /* QUIET_MOST successive rounds changed nothing.  */
  ADAPT_ROUNDS,  /* The requested number of rounds is reached.  */
};

/* Return the reason why the loop of REQUEST ends after ROUNDS rounds, or
   ADAPT_GOES_ON.  QUIET is the number of rounds in a row, up to the latest
   round, that have changed nothing.  */
extern enum adapt_end adapt_is_done (const struct adapt_request *request,
                                     size_t rounds, size_t quiet);

/* Return true if ROUND changed nothing although it had enough samples.  */
extern bool adapt_is_quiet (const struct adapt_round *round);

/* Return the number of seconds to wait before the next round.  CPU is the CPU
   time, and ELAPSED the elapsed time, of hugetext adapt since its start, in
   seconds.  The wait lasts at least EVERY seconds, and until CPU is at most
   PERCENT per cent of the elapsed time.  */
extern double adapt_pause (double cpu, double elapsed, double percent,
                           double every);

/* Return for how many seconds the loop waits after a round, if the user wants
   a round every EVERY seconds.  SAMPLES is the number of samples of the round,
   and KNOWN is SAMPLES plus the number of samples in the history.  Return 0 if
   the process is busy, but KNOWN is too small to choose blocks.  KNOWN is too
   small after the first rounds, and after the loop has dropped the history
   because other text has become hot.  */
extern double adapt_every (uint64_t samples, uint64_t known, double every);

/* Return how many seconds the next round should sample.  The last round took
   SAMPLES samples in SECONDS seconds.  KNOWN is SAMPLES plus the number of
   samples in the history.  If KNOWN samples are too few to change blocks,
   return more seconds than SECONDS, but at most ADAPT_SECONDS_MOST times
   FIRST.  If SAMPLES alone is more than is needed to choose blocks, return
   fewer seconds than SECONDS, but at least FIRST.  FIRST is the number of
   seconds of the first round.  */
enum
{
  ADAPT_SECONDS_MOST = 16,
};
extern double adapt_seconds (double seconds, uint64_t samples, uint64_t known,
                             double first);

/* Return true if a round with SAMPLES samples can estimate which share of the
   samples is on huge pages, with a standard deviation of at most 3.6
   percentage points.  A round with fewer samples, for example during a pause
   of the program, shows neither that other text has become hot nor that the
   loop can end.  */
extern bool adapt_knows_share (uint64_t samples);

/* The loop adds up samples of several rounds.  Return the factor, from 0 to 1,
   by which the samples of earlier rounds are multiplied in this round.  OLD is
   the number of samples of earlier rounds, and NEW the number of samples of
   this round.  LAST and NOW are percentages of samples that are in text on
   huge pages: NOW at the beginning of this round, and LAST at the end of the
   latest earlier round that had enough samples to estimate the percentage
   (adapt_knows_share).  Other text has become hot if NEW samples are enough to
   estimate NOW, and NOW is much less than LAST.  If other text has become hot,
   return 0, so that the loop drops the earlier samples.  If the same text is
   still hot, reduce the number of earlier samples, OLD, to at most
   ADAPT_OLD_MOST times the larger of NEW and PROFILE_SAMPLES_LEAST.  */
enum
{
  ADAPT_OLD_MOST = 3,
};
extern double adapt_keep (double old, uint64_t new, double last, double now);

/* Adapt the processes of REQUEST until adapt_is_done says that the loop ends,
   or the processes have ended, or a signal arrives.  Print a line for each
   round.  Return true if the last round made all its changes and saved all its
   profiles.  If the last round failed, report the reason and return false.  If
   a signal or the end of the process ended the last round, this round counts
   as successful.  */
extern bool adapt (const struct adapt_request *request);

#endif
