/* Policy of ld-hugetext: the stretch of address space for an object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One address, *below*, says where the next object goes: all known mappings
   near it are above it.  Only the functions here choose this address, and the
   stretch of an object below it.  The loader either reserves the stretch at
   once, or only proposes its place to the kernel (a hint) and reserves the
   slack later, when it knows that the process is large enough.

   The kernel puts a mapping without a fixed address into the highest gap that
   is large enough.  So the loader leaves some space free above the first
   stretch: the other mappings of a start (the linker's cache, thread-local
   storage, the loader's own memory) go there, not into slack.  */

#ifndef _DL_HUGETEXT_STRETCH_H
#define _DL_HUGETEXT_STRETCH_H 1

#include "dl-hugetext-placement.h"

/* The needs of an object: LENGTH bytes, and the slack of PLACEMENT for a load
   bias at which its first byte has the address START; and MORE bytes, which
   the stock loader or the kernel asks for after the object.  */
struct hugetext_need
{
  const struct hugetext_placement *placement;
  uintptr_t start;
  size_t length;
  size_t more;
};

/* The stretch of an object: its pages [START, END), and around them the slack
   [LOW, START) and [END, HIGH).  */
struct hugetext_stretch
{
  uintptr_t low, start, end, high;
};

/* The largest distance, in blocks, of a mapping below the others that still
   counts as near them.  Programs, and libraries that are linked for an
   address, lie farther away.  */
#define HUGETEXT_NEAR 256

/* The bytes that stay free above the first stretch.  */
static inline uintptr_t
hugetext_room (const struct hugetext_geometry *geo)
{
  return geo->block / 4;
}

/* Return START if a mapping that begins there is lower than BELOW and near it;
   otherwise return BELOW.  */
static inline uintptr_t
hugetext_below_mapping (const struct hugetext_geometry *geo, uintptr_t below,
                        uintptr_t start)
{
  return (start < below && below - start <= HUGETEXT_NEAR * geo->block
              ? start
              : below);
}

/* Return an address below the N mappings that the kernel made, at START and
   elsewhere, before there was an object.  0 if there is not enough space.  */
static inline uintptr_t
hugetext_below_all (const struct hugetext_geometry *geo,
                    const uintptr_t *start, size_t n)
{
  uintptr_t below = start[0];
  for (size_t i = 1; i < n; ++i)
    below = hugetext_below_mapping (geo, below, start[i]);
  return below > hugetext_room (geo) ? below - hugetext_room (geo) : 0;
}

/* The size in bytes of the stretch for NEED.  */
static inline size_t
hugetext_stretch_size (const struct hugetext_need *need)
{
  return need->placement->before + need->length + need->placement->after;
}

/* The residue of the stretch's lowest address, modulo the placement's
   modulus.  */
static inline uintptr_t
hugetext_stretch_residue (const struct hugetext_need *need)
{
  return need->placement->residue + need->start - need->placement->before;
}

/* The stretch for NEED that begins at LOW.  */
static inline struct hugetext_stretch
hugetext_stretch_at (const struct hugetext_need *need, uintptr_t low)
{
  const uintptr_t start = low + need->placement->before;
  return (struct hugetext_stretch){ .low = low,
                                    .start = start,
                                    .end = start + need->length,
                                    .high
                                    = low + hugetext_stretch_size (need) };
}

/* Set STRETCH to the highest stretch for NEED below BELOW.  False if there is
   not enough space.  */
static inline bool
hugetext_stretch_below (const struct hugetext_need *need, uintptr_t below,
                        struct hugetext_stretch *stretch)
{
  const size_t size = hugetext_stretch_size (need) + need->more;
  const uintptr_t modulus = need->placement->modulus;
  if (size < need->more || below <= modulus || below - modulus <= size)
    return false;
  const uintptr_t highest = below - size;
  *stretch = hugetext_stretch_at (
      need,
      highest - ((highest - hugetext_stretch_residue (need)) & (modulus - 1)));
  return true;
}

#endif /* dl-hugetext-stretch.h */
