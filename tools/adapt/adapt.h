/* The closed loop: sample a process, put its hottest text on huge pages, and
   again.
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

/* What to adapt, and within which limits.  */
struct adapt_request
{
  const char *process, *service; /* The process or service, as arguments of
                                    selected_processes; NULL for a command.  */
  pid_t child;                   /* A command that this process has started, 0
                                    for none.  */
  struct settings settings;      /* Settings that override the process's
                                    own.  */
  double seconds;                /* Seconds of sampling in a round.  */
  double after;                  /* Seconds before the first round.  */
  double every;   /* The seconds from round to round once nothing changes any
                     more; 0: end then.  */
  double percent; /* The most of a processor's time that the command uses, in
                     per cent.  */
  double rounds;  /* The maximum number of rounds, 0 for no limit.  */
  const char *folder; /* The directory of profiles.  */
  int dir;            /* Its descriptor.  */
  /* Report that NAME cannot be adapted, or not all of it.  */
  void (*say) (const char *name, const struct problem *problem);
};

/* The result of a round.  */
struct adapt_round
{
  bool given;
  struct problem problem;      /* The reason why the round did nothing.  */
  uint64_t samples;            /* The number of samples in text.  */
  uint64_t known;              /* SAMPLES, and those of earlier rounds that
                                  still count.  */
  double before, after;        /* There were enough samples and the process had
                                  not ended, so CHANGE is set.  */
  bool changed;                /* The change of all processes.  */
  struct attach_change change; /* The sum of the changes of all processes.  */
  bool unkept;                 /* A profile could not be saved, or the index
                                  not be compiled.  */
};

/* Why no further round is made.  */
enum adapt_end
{
  ADAPT_GOES_ON,
  ADAPT_SETTLED, /* Two rounds in a row changed nothing.  */
  ADAPT_ROUNDS,  /* The requested number of rounds is reached.  */
};

/* Return whether REQUEST is done after ROUNDS rounds, of which the last QUIET
   changed nothing.  */
extern enum adapt_end adapt_is_done (const struct adapt_request *request,
                                     size_t rounds, size_t quiet);

/* Whether a ROUND changed nothing although there were enough samples.  */
extern bool adapt_is_quiet (const struct adapt_round *round);

/* Return how many seconds to wait before the next round: at least EVERY, and
   until the CPU seconds that the command has used are at most PERCENT of the
   ELAPSED seconds.  */
extern double adapt_pause (double cpu, double elapsed, double percent,
                           double every);

/* Return how many seconds to sample after a round of SECONDS with SAMPLES
   samples: the same, or longer if there were too few, but at most
   ADAPT_SECONDS_MOST times FIRST, the length of the first round.  */
enum
{
  ADAPT_SECONDS_MOST = 16,
};
extern double adapt_seconds (double seconds, uint64_t samples, double first);

/* Whether a round with SAMPLES tells which share of its samples was on huge
   pages: the standard deviation is at most 3.6 percentage points.  A round
   with fewer samples, such as one during a pause of the program, tells neither
   that other text has become hot nor that the loop is done.  */
extern bool adapt_knows_share (uint64_t samples);

/* Return which share, 0 to 1, of the OLD samples of earlier rounds counts
   beside the NEW samples of a round.  When that round began, NOW per cent of
   its samples were on huge pages; when the last round whose share is known
   ended, LAST per cent of that round's.  If it is much less now, other text
   has become hot, and the old samples do not count.  They count at most
   ADAPT_OLD_MOST times as much as the new ones.  */
enum
{
  ADAPT_OLD_MOST = 3,
};
extern double adapt_keep (double old, uint64_t new, double last, double now);

/* Adapt REQUEST until it is done, its processes have ended or a signal comes.
   Print a line for each round.  Return whether the last round saved all its
   profiles and did everything, unless its process ended or a signal came.  */
extern bool adapt (const struct adapt_request *request);

#endif
