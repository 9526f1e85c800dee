/* Test which blocks can be huge pages of the object's own file, and when the
   plan prefers these pages.  Compares dl-hugetext-plan.c with a page-by-page
   reference.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#define PAGE 16
#define BLOCK (8 * PAGE)

static const struct hugetext_geometry geo = { .page = PAGE, .block = BLOCK };

/* The reference looks at every page of each segment in the block.  The page's
   distance from the start of the block must equal its contents' distance from
   the start of the file's huge page.  */
static bool
reference (const struct hugetext_object *object, uintptr_t block,
           uint64_t *offset)
{
  bool any = false;
  for (uintptr_t page = block; page < block + BLOCK; page += PAGE)
    for (size_t i = 0; i < object->nsegments; ++i)
      {
        const struct hugetext_segment *s = &object->segment[i];
        if (page < s->start + object->bias || page >= s->end + object->bias)
          continue;
        uint64_t in_file = s->offset + (page - object->bias - s->start);
        if (in_file < page - block)
          return false;
        uint64_t first = in_file - (page - block);
        if (first % BLOCK != 0 || (any && first != *offset))
          return false;
        *offset = first;
        any = true;
      }
  return any;
}

static unsigned int
below (unsigned int limit)
{
  return (unsigned int) random () % limit;
}

static void
describe (struct hugetext_object *object)
{
  uintptr_t end = 0;
  /* In most objects, all segments have the same distance between address and
     offset, as linkers make it.  */
  uint64_t distance = below (4) * BLOCK + below (3) * PAGE;
  *object = (struct hugetext_object){ .nsegments = 1 + below (4),
                                      .align = PAGE << below (3) };
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      struct hugetext_segment *s = &object->segment[i];
      s->start = end + below (3) * below (10) * PAGE;
      s->end = s->start + (1 + below (30)) * PAGE;
      s->fileend = s->end;
      s->datastart = s->start;
      s->dataend = s->end;
      if (below (8) == 0)
        distance = below (64) * PAGE;
      s->offset = s->start + distance;
      s->read = true;
      s->exec = below (2) == 0;
      s->write = !s->exec && below (3) == 0;
      end = s->end;
    }
}

/* Describe a file that has huge pages for every user, in a process that is
   not traced and has no image.  The process can have copies if CLOSURE is not
   NULL.  */
static bool
has_file (void *closure, enum hugetext_fact fact)
{
  return (fact == HUGETEXT_HAS_FILE_BLOCK || fact == HUGETEXT_HAS_FILE_BLOCKS
          || (closure != NULL
              && (fact == HUGETEXT_HAS_ROOM || fact == HUGETEXT_IS_READABLE
                  || fact == HUGETEXT_MAY_ANONYMOUS)));
}

/* Return true if the policy places OBJECT so that it can use huge pages of its
   file, although it could be at BEST.  COPIES is true if the process can have
   copies.  */
static bool
goes_to_file (struct hugetext_object *object,
              const struct hugetext_placement *best, bool copies)
{
  char yes;
  const struct hugetext_site site = { .object = object,
                                      .geo = &geo,
                                      .pad_threshold = PAGE,
                                      .choice = HUGETEXT_AUTO,
                                      .ask = has_file,
                                      .closure = copies ? &yes : NULL };
  struct hugetext_placement placement = *best;
  return hugetext_choose (&site, &placement).file;
}

int
main (void)
{
  unsigned long int yes = 0, no = 0, placed = 0, preferred = 0;
  srandom (20261120);
  for (int n = 0; n < 200000; ++n)
    {
      struct hugetext_object object;
      const struct hugetext_site site
          = { .object = &object, .geo = &geo, .pad_threshold = PAGE };
      describe (&object);
      test_object = &object;
      object.bias = (16 + below (16)) * PAGE;
      for (uintptr_t block = 0; block < 0x1000; block += BLOCK)
        {
          uint64_t want = 0;
          struct hugetext_block got
              = hugetext_block_judge (&object, &geo, PAGE, block);
          EXPECT_EQUAL (got.congruent, reference (&object, block, &want));
          EXPECT (!got.congruent || got.offset == want);
          ++*(got.congruent ? &yes : &no);
        }

      /* At the address that suits the file, all blocks that were counted can
         be huge pages of the file.  */
      struct hugetext_placement congruent, best;
      if (hugetext_object_check (&object, &geo) != NULL
          || !hugetext_place_congruent (&site, &congruent))
        continue;
      ++placed;
      object.bias = 4 * congruent.modulus + congruent.residue;
      object.low = 0;
      object.high = UINTPTR_MAX;
      uintptr_t text = 0, all = 0, block;
      size_t blocks = 0;
      for (uintptr_t from = 0;
           hugetext_next_block (&object, &geo, from, &block);
           from = block + BLOCK)
        {
          uint64_t offset;
          if (hugetext_block_judge (&object, &geo, PAGE, block).verdict
              != HUGETEXT_TAKE)
            continue;
          const uintptr_t there
              = hugetext_block_judge (&object, &geo, 0, block).text;
          all += there;
          if (reference (&object, block, &offset))
            {
              ++blocks;
              text += there;
            }
        }
      EXPECT_EQUAL (blocks, congruent.blocks);
      EXPECT_EQUAL (text, congruent.text);
      EXPECT_EQUAL (object.bias % object.align, 0);
      struct hugetext_place_room room;
      EXPECT (hugetext_place (&site, &room, &best)
              && best.text + text / 64 >= text);
      /* The other blocks there may be copies.  */
      bool most = all + text / 4 >= best.text;
      EXPECT_EQUAL (goes_to_file (&object, &best, true), most);
      EXPECT (goes_to_file (&object, &best, false));
      preferred += most;
    }
  EXPECT (yes > 1000 && no > 1000 && preferred > 1000
          && placed - preferred > 1000);
  group_done ("file blocks", yes + no + placed);
  return 0;
}
