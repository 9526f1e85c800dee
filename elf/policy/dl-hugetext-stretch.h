/* Policy of ld-hugetext: the stretch (range of address space) for an object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader puts the stretch of the next object below an address that is
   called *below*.  All known mappings in the neighborhood of *below* are above
   *below*.  No code outside of this file computes *below* or the addresses of
   a stretch.  The loader either reserves the stretch of an object at once, or
   passes the address of the stretch to the kernel as a hint.  After a hint,
   the loader reserves the slack around the object only later, when it knows
   that the process is large enough to gain from huge pages.

   The kernel puts a mapping without a fixed address into the highest gap that
   is large enough.  Therefore the loader leaves some address space free above
   the first object and its slack.  The kernel then puts the mappings of
   ld.so.cache, of thread-local storage and of the loader's own memory into the
   free space, and not into the slack of an object.  */

#ifndef _DL_HUGETEXT_STRETCH_H
#define _DL_HUGETEXT_STRETCH_H 1

#include "dl-hugetext-placement.h"

/* The address space that an object needs: LENGTH bytes for its segments, and
   the slack of PLACEMENT around the segments.  START is the link-time address
   of the object's first byte.  If the stock loader or the kernel looks for a
   larger gap than LENGTH bytes (_dl_hugetext_hint_space), MORE is the number
   of additional bytes after the end of the object.  */
struct hugetext_need
{
  const struct hugetext_placement *placement;
  uintptr_t start;
  size_t length;
  size_t more;
};

/* Return the address space that OBJECT needs if it is placed as PLACEMENT
   says.  */
static inline struct hugetext_need
hugetext_need_of (const struct hugetext_object *object,
                  const struct hugetext_placement *placement)
{
  return (struct hugetext_need){ .placement = placement,
                                 .start = hugetext_object_start (object),
                                 .length = hugetext_object_length (object) };
}

/* The stretch of an object is the address space that the loader reserves for
   it: the object's own pages [START, END), and around them the slack [LOW,
   START) and [END, HIGH).  */
struct hugetext_stretch
{
  uintptr_t low, start, end, high;
};

/* A mapping is near the mappings above it if the distance is at most
   HUGETEXT_NEAR blocks.  A program, or a library that is linked for a fixed
   address, has a larger distance from the other mappings.  */
#define HUGETEXT_NEAR 256

/* Return how many bytes the loader leaves free above the first object and its
   slack.  */
static inline uintptr_t
hugetext_room (const struct hugetext_geometry *geo)
{
  return geo->block / 4;
}

/* Return the new value of BELOW after a mapping that begins at START: it is
   START if START is lower than BELOW and near it, otherwise BELOW.  */
static inline uintptr_t
hugetext_below_mapping (const struct hugetext_geometry *geo, uintptr_t below,
                        uintptr_t start)
{
  return (start < below && below - start <= HUGETEXT_NEAR * geo->block
              ? start
              : below);
}

/* START contains the addresses of N mappings, which the kernel has made before
   the loader maps the first object.  Return an address below these mappings,
   as the initial value of *below*.  Ignore mappings that are far from the
   other mappings (HUGETEXT_NEAR).  Return 0 if there is not enough free
   address space below the other mappings.  */
static inline uintptr_t
hugetext_below_all (const struct hugetext_geometry *geo,
                    const uintptr_t *start, size_t n)
{
  uintptr_t below = start[0];
  for (size_t i = 1; i < n; ++i)
    below = hugetext_below_mapping (geo, below, start[i]);
  return below > hugetext_room (geo) ? below - hugetext_room (geo) : 0;
}

/* Return the size in bytes of a stretch for an object with the need NEED.  */
static inline size_t
hugetext_stretch_size (const struct hugetext_need *need)
{
  return need->placement->before + need->length + need->placement->after;
}

/* Return the lowest address of the stretch (the range of addresses to reserve)
   for NEED, modulo the MODULUS of NEED's placement.  */
static inline uintptr_t
hugetext_stretch_residue (const struct hugetext_need *need)
{
  return need->placement->residue + need->start - need->placement->before;
}

/* Return the stretch (the range of addresses to reserve) for NEED if the
   stretch begins at LOW.  */
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

/* Set STRETCH to the highest stretch (range of addresses to reserve) for NEED
   that ends at or below the address BELOW.  Return false if there is not
   enough space.  */
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
