/* In which order things that are compared take turns.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TURNS_H
#define TURNS_H

#include <stddef.h>
#include <stdint.h>

/* Put the order of COUNT things in ROUND, from 0 on, into ORDER, which is that
   of the round before: in an even one by chance, of which *STATE, not 0, is
   the seed; in an odd one backwards.  So of two things the order is ABBA or
   BAAB: what drifts evenly in two rounds cancels out, and what happens at a
   time hits either with the same probability.  */
extern void turns_order (size_t order[], size_t count, size_t round,
                         uint64_t *state);

#endif
