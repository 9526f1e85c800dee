/* The rules of the loop that adapts a process: when it ends, and how long it
   pauses between rounds.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The results of these functions depend only on their arguments
   (testsuite/unit/tst-adapt.c).  */

#include "adapt/adapt.h"
#include "heat/profile.h"

enum
{
  /* The number of successive rounds without a change after which the loop
     ends.  One round without a change is not enough, because the program may
     have paused during the round.  */
  QUIET_MOST = 2,
};

enum adapt_end
adapt_is_done (const struct adapt_request *request, size_t rounds,
               size_t quiet)
{
  return (request->rounds > 0 && rounds >= request->rounds ? ADAPT_ROUNDS
          : request->every == 0 && quiet >= QUIET_MOST     ? ADAPT_SETTLED
                                                           : ADAPT_GOES_ON);
}

bool
adapt_is_quiet (const struct adapt_round *round)
{
  return (!problem_is (&round->problem)
          && round->known >= PROFILE_SAMPLES_LEAST
          && adapt_knows_share (round->samples) && round->change.added == 0
          && round->change.taken_back == 0);
}

double
adapt_pause (double cpu, double elapsed, double percent, double every)
{
  const double pause = cpu * 100 / percent - elapsed;
  return pause > every ? pause : every;
}

double
adapt_every (uint64_t samples, uint64_t known, double every)
{
  return adapt_knows_share (samples) && known < PROFILE_SAMPLES_LEAST ? 0
                                                                      : every;
}

double
adapt_seconds (double seconds, uint64_t samples, uint64_t known, double first)
{
  /* If this round has too few samples to estimate the share on huge pages, the
     next round must be longer, even if the history has many samples.  */
  const uint64_t usable = adapt_knows_share (samples) ? known : samples;
  const bool enough = usable >= PROFILE_SAMPLES_LEAST;
  const uint64_t count = enough ? samples : usable;
  /* The number of seconds after which there are enough samples if samples come
     at the same rate as before, plus a quarter for safety.  */
  const double wanted
      = seconds * 1.25 * PROFILE_SAMPLES_LEAST / (count > 0 ? count : 1);
  const double most = ADAPT_SECONDS_MOST * first;
  if (!enough)
    return wanted < most ? wanted : most;
  return wanted > seconds ? seconds : wanted > first ? wanted : first;
}

bool
adapt_knows_share (uint64_t samples)
{
  return samples >= PROFILE_SAMPLES_LEAST / 4;
}

double
adapt_keep (double old, uint64_t new, double last, double now)
{
  if (adapt_knows_share (new) && now < last * 7 / 8)
    return 0;
  const double most
      = ADAPT_OLD_MOST
        * (double) (new > PROFILE_SAMPLES_LEAST ? new : PROFILE_SAMPLES_LEAST);
  return old > most ? most / old : 1;
}
