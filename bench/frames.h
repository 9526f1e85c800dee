/* Let runs that are compared get the same physical memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <stddef.h>

/* Hold memory such that COUNT huge pages of it can be free at a time, and stay
   on one processor, children included.  */
void frames_hold (size_t count);

/* Choose at random which ones that will be.  */
void frames_choose (void);

/* Take back what is free, and free those that were chosen.  */
void frames_offer (void);

#endif
