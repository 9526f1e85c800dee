/* What samples of a program say about its misses in the instruction TLB.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey-tlb.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12

/* Bits of a page: those of its address, the object above them, and whether it
   was made at run time.  */
#define ADDRESS_BITS 36
#define MADE (UINT64_C (1) << 63)

survey_page
survey_page_of (size_t number, uint64_t address)
{
  const uint64_t mask = (UINT64_C (1) << ADDRESS_BITS) - 1;
  return ((uint64_t)number << ADDRESS_BITS & ~MADE)
         | ((address >> PAGE_SHIFT) & mask);
}

survey_page
survey_page_made (uint32_t pid, uint64_t address)
{
  return MADE | survey_page_of (pid, address);
}

/* A TLB: the least recently used entry is replaced.  */
struct tlb
{
  uint64_t *entries; /* The last one used first.  */
  size_t count, room;
};

/* Look PAGE up in TLB, and enter it.  Returns whether it was there.  */
static bool
look_up (struct tlb *tlb, uint64_t page)
{
  size_t i = 0;
  while (i < tlb->count && tlb->entries[i] != page)
    i++;
  bool found = i < tlb->count;
  if (!found)
    {
      if (tlb->count < tlb->room)
        tlb->count++;
      i = tlb->count - 1;
    }
  memmove (tlb->entries + 1, tlb->entries, i * sizeof *tlb->entries);
  tlb->entries[0] = page;
  return found;
}

/* How often a page, or a block, was seen.  */
struct seen
{
  uint64_t what;
  size_t count;
};

static int
by_what (const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* The most first.  */
static int
by_count (const void *a, const void *b)
{
  const struct seen *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return x->what < y->what ? -1 : x->what > y->what;
}

static int
by_seen (const void *a, const void *b)
{
  const struct seen *x = a, *y = b;
  return x->what < y->what ? -1 : x->what > y->what;
}

/* The different ones of the COUNT in LIST, shifted by SHIFT, which is sorted;
   *N gets their number.  Only text, or MADE code as well.  NULL if there is no
   memory.  */
static struct seen *
count_seen (const uint64_t *list, size_t count, unsigned int shift, bool made,
            size_t *n)
{
  struct seen *seen = calloc (count + 1, sizeof *seen);
  *n = 0;
  for (size_t i = 0; seen != NULL && i < count; i++)
    {
      uint64_t what = list[i] >> shift;
      /* Text comes first.  */
      if (!made && (list[i] & MADE) != 0)
        break;
      if (*n == 0 || seen[*n - 1].what != what)
        seen[(*n)++].what = what;
      seen[*n - 1].count++;
    }
  return seen;
}

/* How many of the N in SEEN have nine of ten of COUNT.  */
static size_t
count_hot (struct seen *seen, size_t n, size_t count)
{
  size_t sum = 0, hot = 0;
  if (n > 0)
    qsort (seen, n, sizeof *seen, by_count);
  while (hot < n && sum * 10 < count * 9)
    sum += seen[hot++].count;
  return hot;
}

/* Samples, and TLBs for them.  */
struct simulation
{
  const survey_page *list;
  uint64_t *sorted;
  size_t count;
  unsigned int shift; /* From a small page to a block.  */
  struct tlb small, huge;
};

/* Which share of the samples misses if the NBLOCKS BLOCKS, sorted, are on huge
   pages.  */
static double
run (struct simulation *all, const struct seen *blocks, size_t nblocks)
{
  size_t misses = 0;
  all->small.count = all->huge.count = 0;
  for (size_t i = 0; i < all->count; i++)
    {
      const struct seen key = { .what = all->list[i] >> all->shift };
      bool huge = (nblocks > 0
                   && bsearch (&key, blocks, nblocks, sizeof key, by_seen)
                          != NULL);
      misses += !(huge ? look_up (&all->huge, key.what)
                       : look_up (&all->small, all->list[i]));
    }
  return (double)misses / all->count;
}

/* Set *SHARE to what misses if blocks of text, and with MADE of code made at
   run time, are on huge pages, as many as the TLB holds.  False if there is no
   memory.  */
static bool
run_huge (struct simulation *all, bool made, double *share)
{
  size_t blocks;
  struct seen *seen
      = count_seen (all->sorted, all->count, all->shift, made, &blocks);
  if (seen == NULL)
    return false;
  if (blocks > 0)
    qsort (seen, blocks, sizeof *seen, by_count);
  blocks = blocks < all->huge.room ? blocks : all->huge.room;
  if (blocks > 0)
    qsort (seen, blocks, sizeof *seen, by_seen);
  *share = run (all, seen, blocks);
  free (seen);
  return true;
}

bool
survey_simulate (const survey_page *list, size_t count, size_t small,
                 size_t huge, size_t block, struct survey_misses *misses)
{
  *misses = (struct survey_misses){ 0 };
  if (count == 0)
    return true;
  /* No more than there can be.  */
  huge = huge < count ? huge : count;
  struct simulation all
      = { .list = list,
          .sorted = calloc (count, sizeof *list),
          .count = count,
          .shift = __builtin_ctzl (block) - PAGE_SHIFT,
          .small = { calloc (small, sizeof (uint64_t)), 0, small },
          .huge = { calloc (huge, sizeof (uint64_t)), 0, huge } };
  struct seen *pages = NULL;
  bool good = (all.sorted != NULL && all.small.entries != NULL
               && all.huge.entries != NULL);
  if (good)
    {
      memcpy (all.sorted, list, count * sizeof *list);
      qsort (all.sorted, count, sizeof *list, by_what);
      pages = count_seen (all.sorted, count, 0, true, &misses->pages);
      good = pages != NULL;
    }
  if (good)
    {
      misses->hot = count_hot (pages, misses->pages, count);
      misses->small = run (&all, NULL, 0);
      good = (run_huge (&all, false, &misses->huge)
              && run_huge (&all, true, &misses->code));
    }
  free (pages);
  free (all.sorted);
  free (all.small.entries);
  free (all.huge.entries);
  return good;
}
