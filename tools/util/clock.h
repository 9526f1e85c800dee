/* The clock for timeouts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>

/* Return the time in milliseconds, from a clock that users cannot set.  */
extern int64_t clock_milliseconds (void);

/* Return the time in seconds, from a clock that users cannot set.  */
extern double clock_seconds (void);

#endif
