/* Translation lookaside buffers, simulated.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A *unit* is what one entry of a TLB translates: a small page, a group of
   small pages or a huge page.  Units have successive numbers from 0, so an
   array shows whether a TLB holds a unit; only a miss searches the ways of a
   set.  */

#ifndef TLB_H
#define TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of pages.  */
enum page_class
{
  PAGE_SMALL,
  PAGE_HUGE,
  PAGE_CLASSES,
};

/* One unit.  */
struct unit
{
  uint64_t number; /* The unit's address, in units of its size.  The unit's
                      address selects the set of the TLB.  */
  enum page_class class;
};

/* One TLB; the least recently used entry of a set is replaced.  */
struct tlb
{
  uint32_t sets, ways;
  uint64_t clock;
  uint64_t *used;  /* The time of the last use of each entry, or 0 if the
                      entry is empty.  */
  uint32_t *held;  /* The unit of each entry.  */
  uint32_t *where; /* For each unit: the number of its entry + 1, or 0 if the
                      TLB does not hold the unit.  */
  size_t units;    /* Length of WHERE.  */
};

/* Make an empty TLB.  ENTRIES is a multiple of WAYS.  */
extern void tlb_init (struct tlb *tlb, uint32_t entries, uint32_t ways);

/* Enlarge the arrays for units with numbers below UNITS.  */
extern void tlb_reserve (struct tlb *tlb, size_t units);

/* Forget all units.  */
extern void tlb_empty (struct tlb *tlb);

extern void tlb_free (struct tlb *tlb);

/* Put UNIT, which TLB does not hold, in the place of the least recently used
   unit of its set.  */
extern void tlb_fill (struct tlb *tlb, uint32_t unit, uint64_t number);

/* Look UNIT up in TLB, and add it if it is missing.  Return whether TLB
   already held it.  */
static inline bool
tlb_access (struct tlb *tlb, uint32_t unit, uint64_t number)
{
  uint32_t entry = tlb->where[unit];
  if (entry != 0)
    {
      tlb->used[entry - 1] = ++tlb->clock;
      return true;
    }
  tlb_fill (tlb, unit, number);
  return false;
}

#endif
