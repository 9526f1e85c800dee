/* The clock for timeouts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>

/* Return the time in nanoseconds, milliseconds or seconds, from a clock that
   users cannot set (CLOCK_MONOTONIC).  */
extern int64_t clock_nanoseconds (void);
extern int64_t clock_milliseconds (void);
extern double clock_seconds (void);

#endif
