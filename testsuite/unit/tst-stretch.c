/* Test where the next object is mapped: the kernel follows every hint, and
   the slack around each object is free when the loader claims it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The address space is a model of the kernel's.  A mapping without a hint
   goes to the top of the highest gap that is large enough.  The kernel
   follows a hint if the whole range is free.  */

#include "dl-hugetext-stretch.h"
#include "plan-test.h"

#define PAGE 4096
#define BLOCK (512 * (uintptr_t) PAGE)
#define TOP (UINT64_C (1) << 40)

enum
{
  MAPPINGS_MAX = 256,
  OBJECTS_MAX = 24,
  STARTS = 20000,
};

static const struct hugetext_geometry geo = { .page = PAGE, .block = BLOCK };

/* The mappings, in descending order of address.  */
static struct
{
  uintptr_t start, end;
} mapping[MAPPINGS_MAX];
static size_t nmappings;

static uint64_t seed = 1;

/* Return a random number from LOW to HIGH.  */
static uintptr_t
between (uintptr_t low, uintptr_t high)
{
  return low + next_random (&seed) % (high - low + 1);
}

static bool
is_free (uintptr_t start, uintptr_t end)
{
  for (size_t i = 0; i < nmappings; ++i)
    if (start < mapping[i].end && mapping[i].start < end)
      return false;
  return true;
}

static uintptr_t
map_fixed (uintptr_t start, size_t size)
{
  size_t i = nmappings++;
  EXPECT (nmappings <= MAPPINGS_MAX);
  for (; i > 0 && mapping[i - 1].start < start; --i)
    mapping[i] = mapping[i - 1];
  mapping[i].start = start;
  mapping[i].end = start + size;
  return start;
}

/* Map SIZE bytes at the place that the kernel would choose.  */
static uintptr_t
map_anywhere (size_t size)
{
  uintptr_t above = TOP;
  for (size_t i = 0; i < nmappings; ++i)
    {
      if (above - mapping[i].end >= size)
        break;
      above = mapping[i].start;
    }
  return map_fixed (above - size, size);
}

/* Map SIZE bytes at HINT, or at the place that the kernel would choose.  */
static uintptr_t
map_hint (uintptr_t hint, size_t size)
{
  return (is_free (hint, hint + size) ? map_fixed (hint, size)
                                      : map_anywhere (size));
}

/* Return a random request for address space (a need), and put its placement
   into *PLACEMENT.  Without a block, the object needs no slack.  */
static struct hugetext_need
make_need (struct hugetext_placement *placement)
{
  const size_t length = PAGE * between (1, between (0, 1) ? 20 : 1200);
  const bool blocks = between (0, 1);
  *placement = (struct hugetext_placement){
    .modulus = blocks ? BLOCK : PAGE,
    .residue = blocks ? PAGE * between (0, BLOCK / PAGE - 1) : 0,
    .before = blocks && between (0, 1) ? PAGE * between (1, 500) : 0,
    .after = blocks && between (0, 1) ? PAGE * between (1, 500) : 0
  };
  return (struct hugetext_need){ .placement = placement,
                                 .length = length,
                                 .more = length >= BLOCK ? BLOCK : 0 };
}

/* Map what a start maps in addition to objects.  *ROOM is the number of bytes
   that may still be mapped; subtract the size of the mapping from it.  */
static void
map_others (uintptr_t *room)
{
  const size_t size = PAGE * between (0, 20);
  if (size == 0 || size > *room)
    return;
  *room -= size;
  map_anywhere (size);
}

/* Map what the kernel maps before a program starts, and return the address
   below that.  The loader may be mapped so low that there is room above it;
   then the loader's state is mapped there.  */
static uintptr_t
begin (void)
{
  uintptr_t start[3];
  nmappings = 0;
  map_fixed (TOP / 2, PAGE); /* The program.  */
  start[1] = map_fixed (TOP - PAGE * between (60, 600), 60 * PAGE);
  start[2] = map_anywhere (2 * PAGE);
  start[0] = map_anywhere (5 * PAGE);
  return hugetext_below_all (&geo, start, 3);
}

/* Test a start whose N objects are mapped with hints.  */
static void
start_with (size_t n)
{
  struct hugetext_stretch stretch[OBJECTS_MAX];
  uintptr_t below = begin (), room = hugetext_room (&geo);
  struct hugetext_placement placement;
  for (size_t i = 0; i < n; ++i)
    {
      map_others (&room);
      const struct hugetext_need need = make_need (&placement);
      EXPECT (hugetext_stretch_below (&need, below, &stretch[i]));
      EXPECT_EQUAL (
          (stretch[i].start - placement.residue) & (placement.modulus - 1), 0);
      EXPECT_EQUAL (map_hint (stretch[i].start, need.length + need.more),
                    stretch[i].start);
      /* The kernel looks for a larger gap than it maps in the end.  */
      for (size_t j = 0; j < nmappings; ++j)
        if (mapping[j].start == stretch[i].start)
          mapping[j].end = stretch[i].end;
      below = hugetext_below_mapping (&geo, below, stretch[i].low);
      EXPECT_EQUAL (below, stretch[i].low);
    }
  map_others (&room);
  for (size_t i = 0; i < n; ++i)
    {
      EXPECT (is_free (stretch[i].low, stretch[i].start));
      EXPECT (is_free (stretch[i].end, stretch[i].high));
    }
}

/* The next object goes below a mapping only if this mapping is below the last
   object and near it.  */
static void
test_near (void)
{
  const uintptr_t below = TOP;
  EXPECT_EQUAL (hugetext_below_mapping (&geo, below, TOP + PAGE), below);
  EXPECT_EQUAL (hugetext_below_mapping (&geo, below, TOP - PAGE), TOP - PAGE);
  EXPECT_EQUAL (hugetext_below_mapping (&geo, below, TOP / 2), below);
  EXPECT_EQUAL (hugetext_below_mapping (&geo, below, 0x400000), below);
  group_done ("what is near", 4);
}

/* At the end of the address space, there is no stretch of free addresses.  */
static void
test_end (void)
{
  const struct hugetext_placement placement = { .modulus = BLOCK };
  struct hugetext_need need = { .placement = &placement, .length = BLOCK };
  struct hugetext_stretch stretch;
  const uintptr_t low = PAGE;
  EXPECT (!hugetext_stretch_below (&need, 0, &stretch));
  EXPECT (!hugetext_stretch_below (&need, 2 * BLOCK, &stretch));
  EXPECT (hugetext_stretch_below (&need, 2 * BLOCK + PAGE, &stretch));
  EXPECT_EQUAL (stretch.low, BLOCK);
  need.more = UINTPTR_MAX;
  EXPECT (!hugetext_stretch_below (&need, TOP, &stretch));
  EXPECT_EQUAL (hugetext_below_all (&geo, &low, 1), 0);
  group_done ("the end of address space", 6);
}

int
main (void)
{
  for (unsigned long int i = 0; i < STARTS; ++i)
    start_with (between (1, OBJECTS_MAX));
  group_done ("starts by hints", STARTS);
  test_near ();
  test_end ();
  return 0;
}
