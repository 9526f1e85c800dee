/* Frames: a library that gives the same physical memory to runs that are
   compared.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <stddef.h>

/* Hold memory of which COUNT huge pages can be free at a time, and keep this
   process and its children on one processor.  */
void frames_hold (size_t count);

/* Choose the pages to be freed at random.  */
void frames_choose (void);

/* Allocate the free pages again, and free the chosen pages.  */
void frames_offer (void);

#endif
