/* Policy of ld-hugetext: the stretch of address space that an object takes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One address, *below*, says where the next object goes: all that is known to
   be mapped near it is above it.  The functions here are the only ones that
   choose it, and that choose a stretch by it, whether the stretch is reserved
   at once or its place is only proposed to the kernel (a hint), and the slack
   in it is reserved later, when the process is known to be large enough.

   The kernel puts a mapping that may be anywhere into the highest gap that has
   room for it.  So some room is left above the first stretch: what a start
   maps beside objects (the linker's cache, thread-local storage, the loader's
   own memory) goes there, not into slack.  */

#ifndef _DL_HUGETEXT_STRETCH_H
#define _DL_HUGETEXT_STRETCH_H 1

#include "dl-hugetext-placement.h"

/* What an object needs: LENGTH bytes and the slack of PLACEMENT for a load
   bias that makes START its first byte's address; and MORE bytes, which the
   stock loader or the kernel ask for behind it.  */
struct hugetext_need
{
  const struct hugetext_placement *placement;
  uintptr_t start;
  size_t length;
  size_t more;
};

/* The object's pages [START, END) and, around them, slack [LOW, START) and
   [END, HIGH).  */
struct hugetext_stretch
{
  uintptr_t low, start, end, high;
};

/* How far below others a mapping may lie, in blocks, that still is one of
   them: programs lie elsewhere, and so do libraries that are linked for an
   address.  */
#define HUGETEXT_NEAR 256

/* The bytes that are left free above the first stretch.  */
static inline uintptr_t
hugetext_room (const struct hugetext_geometry *geo)
{
  return geo->block / 4;
}

/* Return BELOW, or START if a mapping that begins there is near BELOW, and
   lower.  */
static inline uintptr_t
hugetext_below_mapping (const struct hugetext_geometry *geo, uintptr_t below,
                        uintptr_t start)
{
  return (start < below && below - start <= HUGETEXT_NEAR * geo->block
              ? start
              : below);
}

/* Return below what the kernel has mapped, at START and elsewhere, before
   there was an object: N mappings.  0 if there is no room.  */
static inline uintptr_t
hugetext_below_all (const struct hugetext_geometry *geo,
                    const uintptr_t *start, size_t n)
{
  uintptr_t below = start[0];
  for (size_t i = 1; i < n; ++i)
    below = hugetext_below_mapping (geo, below, start[i]);
  return below > hugetext_room (geo) ? below - hugetext_room (geo) : 0;
}

/* The bytes of the stretch for NEED.  */
static inline size_t
hugetext_stretch_size (const struct hugetext_need *need)
{
  return need->placement->before + need->length + need->placement->after;
}

/* The residue of its lowest byte's address modulo the placement's.  */
static inline uintptr_t
hugetext_stretch_residue (const struct hugetext_need *need)
{
  return need->placement->residue + need->start - need->placement->before;
}

/* The stretch for NEED from LOW on.  */
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

/* Set STRETCH to the highest one for NEED that lies below BELOW.  False if
   there is no room.  */
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
