/* Frames: a library that gives the same physical memory to runs that are
   compared.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include <stddef.h>

/* Map memory for frames_offer, which frees COUNT huge pages of it at a time.
   Keep this process and its children on one processor.  */
void frames_hold (size_t count);

/* Choose at random the pages that frames_offer will free.  */
void frames_choose (void);

/* Allocate the pages that the last call freed again, and free the pages that
   frames_choose chose.  */
void frames_offer (void);

#endif
