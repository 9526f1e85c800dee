/* The clock for timeouts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/clock.h"

#include <time.h>

int64_t
clock_nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C (1000000000) + now.tv_nsec;
}

int64_t
clock_milliseconds (void)
{
  return clock_nanoseconds () / 1000000;
}

double
clock_seconds (void)
{
  return clock_nanoseconds () * 1e-9;
}
