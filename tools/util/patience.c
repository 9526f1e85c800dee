/* The time limit for the advice of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/patience.h"
#include "util/clock.h"

/* QUESTIONS is the number of calls of patience_begin without the matching call
   of patience_end.  BEGUN is the time at which QUESTIONS last changed from 0
   to 1.  SPENT is the total time for which QUESTIONS was not 0 before BEGUN.
   The times are in milliseconds.  */
static int64_t spent, begun;
static unsigned int questions;

static int64_t
time_left (void)
{
  const int64_t used
      = spent + (questions > 0 ? clock_milliseconds () - begun : 0);
  return used < PATIENCE_LIMIT * 1000 ? PATIENCE_LIMIT * 1000 - used : 0;
}

bool
patience_begin (void)
{
  if (time_left () == 0)
    return false;
  if (questions++ == 0)
    begun = clock_milliseconds ();
  return true;
}

void
patience_end (void)
{
  if (--questions == 0)
    spent += clock_milliseconds () - begun;
}

int64_t
patience_left (void)
{
  return questions > 0 ? time_left () : -1;
}
