/* The closed loop: repeatedly sample a process and put its hottest text on
   huge pages.
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

/* The processes to adapt, and the limits for the work.  */
struct adapt_request
{
  const char *process, *service; /* The process or the service, as for
                                    selected_processes.  Both are NULL for a
                                    command.  */
  pid_t child;                   /* The command that this process has started,
                                    or 0 if there is none.  */
  struct settings settings;      /* Settings that override the process's
                                    own.  */
  double seconds;                /* How many seconds the sampling of a round
                                    lasts.  */
  double after;                  /* How many seconds to wait before the first
                                    round.  */
  double every;   /* How many seconds pass between rounds when nothing changes
                     any more.  0 means that the loop ends then.  */
  double percent; /* The maximum CPU time that the command may use, in per
                     cent of one processor.  */
  double rounds;  /* The maximum number of rounds, 0 for no limit.  */
  const char *folder; /* The directory of profiles.  */
  int dir;            /* The descriptor of the directory of profiles.  */
  /* Reports that the process NAME cannot be adapted, or not completely.  */
  void (*say) (const char *name, const struct problem *problem);
};

/* The result of a round.  */
struct adapt_round
{
  bool given;
  struct problem problem;      /* The reason why the round did nothing.  */
  uint64_t samples;            /* The number of samples in text in this
                                  round.  */
  uint64_t known;              /* The sum of SAMPLES and of the samples of
                                  earlier rounds that still count.  */
  double before, after;        /* The percentage of the samples that are in
                                  text on huge pages: before the round's
                                  change, and after it.  */
  bool changed;                /* Whether CHANGE is valid: there were enough
                                  samples, and the process had not ended.  */
  struct attach_change change; /* The sum of the changes of all processes.  */
  bool unkept;                 /* Whether a profile could not be saved, or the
                                  index could not be compiled.  */
};

/* Whether the loop ends after a round, and why.  */
enum adapt_end
{
  ADAPT_GOES_ON,
  ADAPT_SETTLED, /* Two rounds in a row changed nothing.  */
  ADAPT_ROUNDS,  /* The requested number of rounds is reached.  */
};

/* Return whether the loop of REQUEST ends after ROUNDS rounds, and why.  The
   last QUIET of them changed nothing.  */
extern enum adapt_end adapt_is_done (const struct adapt_request *request,
                                     size_t rounds, size_t quiet);

/* Whether ROUND changed nothing although it had enough samples.  */
extern bool adapt_is_quiet (const struct adapt_round *round);

/* Return how many seconds to wait before the next round.  Wait at least EVERY
   seconds, and long enough that the command's CPU time so far, CPU seconds,
   is at most PERCENT of the ELAPSED seconds.  */
extern double adapt_pause (double cpu, double elapsed, double percent,
                           double every);

/* Return how many seconds the next round should sample.  The last round had
   SAMPLES samples in SECONDS seconds.  If these were too few, sample longer,
   but at most ADAPT_SECONDS_MOST times FIRST, the length of the first
   round.  */
enum
{
  ADAPT_SECONDS_MOST = 16,
};
extern double adapt_seconds (double seconds, uint64_t samples, double first);

/* Whether SAMPLES, the number of samples of a round, suffice to tell which
   share of them was on huge pages, with a standard deviation of at most 3.6
   percentage points.  A round with fewer samples, such as one during a pause
   of the program, shows neither that other text has become hot nor that the
   loop can end.  */
extern bool adapt_knows_share (uint64_t samples);

/* Return a factor from 0 to 1: how much a sample of an earlier round counts in
   this round.  OLD is the number of samples of earlier rounds, and NEW the
   number of this round's samples.  LAST is the percentage of samples on huge
   pages at the end of the last round in which this percentage was known
   (adapt_knows_share).  NOW is the same percentage at the beginning of this
   round.  If NOW is much less than LAST, other text has become hot, and the
   factor is 0.  Otherwise old samples count at most ADAPT_OLD_MOST times as
   much as the new ones.  */
enum
{
  ADAPT_OLD_MOST = 3,
};
extern double adapt_keep (double old, uint64_t new, double last, double now);

/* Adapt the processes of REQUEST until adapt_is_done says that the loop ends,
   or the processes have ended, or a signal arrives.  Print a line for each
   round.  Return whether the last round did everything and saved all its
   profiles.  A round that was ended by a signal or by the end of its process
   counts as successful.  */
extern bool adapt (const struct adapt_request *request);

#endif
