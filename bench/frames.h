/* Frames: a library that gives the same physical memory to runs that are
   compared.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <stddef.h>

/* Hold memory so that COUNT huge pages of it can be free at a time, and stay
   on one processor, children included.  */
void frames_hold (size_t count);

/* Choose the pages to be freed at random.  */
void frames_choose (void);

/* Take the free pages back, and free the chosen ones.  */
void frames_offer (void);

#endif
