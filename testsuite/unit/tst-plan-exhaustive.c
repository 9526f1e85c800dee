/* Test the plan with every small layout: it takes exactly the blocks that the
   design allows.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Pages have 16 bytes and blocks 4 pages, so that all sequences of a few
   segments, gaps and odd ends can be tried at all residues of the load bias.
   plan-reference.h computes the verdict on each block independently.  */

#include "plan-reference.h"

#define PAGE 16
#define BLOCK 64

static const struct hugetext_geometry geo = { .page = PAGE, .block = BLOCK };

/* A group of layouts.  For each segment, try all combinations of the following
   properties; each value of a property is a letter or digit.  FLAGS: r, x
   (readable and executable), X (only executable), w (readable and writable),
   W (readable, writable and executable), n (none), v (only writable), V
   (writable and executable).  TAILS: f, file contents to the end of a page; p,
   file contents to the middle of the last page; z, as f, then a page of zero
   fill; m, as p, then zero fill to the end of the page; b, as m, then another
   page of zero fill; o, no contents in the file at all.  ALSO: what else to
   try: all places of RELRO, or all values of LOW and HIGH, or a search for
   text from each byte.  */
struct group
{
  const char *name;
  size_t segments_min, segments_max;
  const char *flags;
  const char *pages; /* Lengths of the segments.  */
  const char *gaps;  /* Gaps in front of all segments but the first.  */
  const char *tails;
  const char *heads; /* Bytes that are missing at the start of a segment.  */
  enum
  {
    NOTHING_ELSE,
    ALL_RELRO,
    ALL_LIMITS,
    ALL_BYTES
  } also;
};

static const struct group groups[] = {
  { "one or two segments, all values of each property", 1, 2, "rxXwWnvV",
    "1234569", "012", "fpzmbo", "05", NOTHING_ELSE },
  { "two segments, address limits", 1, 2, "rxXw", "123459", "012", "fp", "0",
    ALL_LIMITS },
  { "two segments, RELRO", 1, 2, "rxXw", "123459", "012", "f", "0",
    ALL_RELRO },
  { "three segments, every byte", 1, 3, "rxw", "15", "02", "fpm", "05",
    ALL_BYTES },
  { "three segments", 3, 3, "rxXwW", "1235", "012", "f", "0", NOTHING_ELSE },
  { "three segments, unaligned ends", 3, 3, "rxXw", "14", "02", "fpzm", "0",
    NOTHING_ELSE },
  { "three segments, RELRO", 3, 3, "rxw", "124", "01", "f", "0", ALL_RELRO },
  { "three segments, address limits", 3, 3, "rxw", "124", "01", "f", "0",
    ALL_LIMITS },
  { "four segments", 4, 4, "rxXwW", "13", "01", "f", "0", NOTHING_ELSE },
  { "five segments", 5, 5, "rxXwW", "12", "0", "f", "0", NOTHING_ELSE },
  { "five segments, gaps", 5, 5, "rxw", "13", "01", "f", "0", NOTHING_ELSE },
};

static unsigned long int layouts;
static struct page_map map;

/* Check the verdict on the block at BLOCK of OBJECT, with three thresholds:
   zero, the text in the block, and one byte more.  */
static void
check_block (const struct hugetext_object *object,
             const struct block_facts *facts, uintptr_t block)
{
  uintptr_t threshold[] = { 0, facts->text, facts->text + 1 };
  for (size_t i = 0; i < 3; ++i)
    {
      test_threshold = threshold[i];
      enum hugetext_reason verdict
          = hugetext_block_judge (object, &geo, threshold[i], block).verdict;
      EXPECT_EQUAL (verdict == HUGETEXT_TAKE,
                    reference_take (facts, &geo, threshold[i], object->low,
                                    object->high, block));
      EXPECT (verdict_is_true (verdict, facts, &geo, threshold[i], object->low,
                               object->high, block));
      if (verdict == HUGETEXT_TAKE)
        {
          /* The condition of reference_take, written in a different way.  */
          size_t good = (facts->pages[PAGE_TEXT] + facts->pages[PAGE_HOLE]
                         + facts->pages[PAGE_READ_ONLY]);
          EXPECT (good == BLOCK / PAGE
                  || facts->pages[PAGE_HIDDEN_TEXT] == BLOCK / PAGE);
          EXPECT_EQUAL (facts->relro_pages, 0);
          EXPECT (block >= object->low && block + BLOCK <= object->high);
        }
    }
}

/* Check all blocks in which OBJECT may lie at its load bias, and three more
   at either end.  */
static void
check_bias (struct hugetext_object *object, const struct group *group)
{
  uintptr_t start = map.base + object->bias;
  uintptr_t end = map.end + object->bias;
  uintptr_t first = start - start % BLOCK - 3 * BLOCK;
  uintptr_t next = first; /* The first block that hugetext_next_block has not
                             returned yet.  */
  bool more = true;
  uintptr_t found = 0;
  uintptr_t text = 0;

  for (uintptr_t block = first; block < end + 3 * BLOCK; block += BLOCK)
    {
      struct block_facts facts
          = look_at_block (&map, &geo, object->bias, block);
      if (more && next <= block)
        {
          more = hugetext_next_block (object, &geo, next, &found);
          next = found + BLOCK;
        }
      EXPECT_EQUAL (more && found == block, facts.text > 0);
      EXPECT_EQUAL (hugetext_block_judge (object, &geo, 0, block).text,
                    facts.text);
      if (facts.pages[PAGE_ZERO_FILL] == 0)
        EXPECT_EQUAL (
            hugetext_block_judge (object, &geo, 0, block).execute_only,
            facts.pages[PAGE_HIDDEN_TEXT] > 0);
      text += facts.text;

      object->low = 0;
      object->high = UINTPTR_MAX;
      check_block (object, &facts, block);
      if (facts.text == 0)
        continue;
      if (group->also != ALL_LIMITS)
        {
          object->low = start;
          object->high = end;
          check_block (object, &facts, block);
          continue;
        }
      for (object->low = start - start % BLOCK - PAGE; object->low <= start;
           object->low += PAGE)
        for (object->high = end;
             object->high <= end - end % BLOCK + BLOCK + PAGE;
             object->high += PAGE)
          check_block (object, &facts, block);
    }
  EXPECT_EQUAL (text, hugetext_object_text (object));
}

/* Return true if the byte at run-time address ADDRESS is text.  */
static bool
text_at (const Elf64_Phdr *phdr, size_t n, uintptr_t bias, uintptr_t address)
{
  for (size_t i = 0; i < n; ++i)
    for (uintptr_t k = 0; k < phdr[i].p_filesz; ++k)
      if (phdr[i].p_vaddr + bias + k == address)
        return (phdr[i].p_flags & PF_X) && !(phdr[i].p_flags & PF_W);
  return false;
}

/* Call hugetext_next_block for each byte, from the last down to the
   first.  */
static void
check_bytes (const struct hugetext_object *object, const Elf64_Phdr *phdr,
             size_t n)
{
  uintptr_t start = map.base + object->bias;
  bool any = false;
  uintptr_t expected = 0;
  for (uintptr_t from = start + (map.count + 3) * PAGE; from >= start - PAGE;
       --from)
    {
      uintptr_t block;
      if (text_at (phdr, n, object->bias, from))
        {
          any = true;
          expected = from - from % BLOCK;
        }
      EXPECT_EQUAL (hugetext_next_block (object, &geo, from, &block), any);
      if (any)
        EXPECT_EQUAL (block, expected);
    }
}

static void
check_layout (const struct group *group, const Elf64_Phdr *phdr, size_t n)
{
  struct hugetext_object object;
  object_from_phdrs (&object, PAGE, phdr, n);
  test_object = &object;
  EXPECT (paint (&map, PAGE, phdr, n));
  EXPECT (hugetext_object_check (&object, &geo) == NULL);
  for (unsigned int residue = 0; residue < BLOCK; residue += PAGE)
    {
      /* Put half of the objects below their link-time addresses, as prelink
         does.  The sum is the same modulo the address space.  */
      uintptr_t bias = residue % (2 * PAGE) == 0 ? 16 * BLOCK : -16 * BLOCK;
      object.bias = bias + residue;
      if (group->also == ALL_BYTES)
        {
          check_bytes (&object, phdr, n);
          break;
        }
      check_bias (&object, group);
    }
  test_object = NULL;
  ++layouts;
}

/* PHDR holds N segments that end at address END.  Try all segments that may
   follow, then all places of RELRO.  */
static void
try_segments (const struct group *group, Elf64_Phdr *phdr, size_t n,
              uintptr_t end)
{
  if (n >= group->segments_min)
    {
      if (group->also != ALL_RELRO)
        check_layout (group, phdr, n);
      else
        /* RELRO may begin in the object and end above it.  */
        for (uintptr_t from = phdr[0].p_vaddr; from <= end; from += PAGE)
          for (uintptr_t to = from + PAGE; to <= end + 2 * PAGE; to += PAGE)
            {
              phdr[n] = (Elf64_Phdr){ .p_type = PT_GNU_RELRO,
                                      /* One byte of the last page is enough to
                                         protect that page.  */
                                      .p_vaddr = from,
                                      .p_memsz = to - from - (PAGE - 1) };
              check_layout (group, phdr, n + 1);
            }
    }
  if (n == group->segments_max)
    return;

  for (const char *gap = group->gaps; *gap != '\0'; ++gap)
    for (const char *pages = group->pages; *pages != '\0'; ++pages)
      for (const char *tail = group->tails; *tail != '\0'; ++tail)
        for (const char *head = group->heads; *head != '\0'; ++head)
          for (const char *flags = group->flags; *flags != '\0'; ++flags)
            {
              if (n == 0 && gap != group->gaps)
                continue;
              uintptr_t start = end + (*gap - '0') * PAGE + *head - '0';
              uintptr_t stop = end + (*gap + *pages - 2 * '0') * PAGE;
              uintptr_t file_end = stop;
              switch (*tail)
                {
                case 'p':
                  file_end = stop -= 7;
                  break;
                case 'z':
                  stop += PAGE;
                  break;
                case 'm':
                  file_end = stop - 7;
                  break;
                case 'b':
                  file_end = stop - 7;
                  stop += PAGE - 3;
                  break;
                case 'o':
                  file_end = start;
                  break;
                }
              phdr[n] = (Elf64_Phdr){ .p_type = PT_LOAD,
                                      .p_flags = flags_of (*flags),
                                      .p_vaddr = start,
                                      .p_offset = start,
                                      .p_filesz = file_end - start,
                                      .p_memsz = stop - start,
                                      .p_align = PAGE };
              try_segments (group, phdr, n + 1,
                            (stop + PAGE - 1) & -(uintptr_t) PAGE);
            }
}

/* Return a valid object of N segments, in which a test may spoil one
   value.  */
static struct hugetext_object
good_object (size_t n)
{
  struct hugetext_object object = { .nsegments = n,
                                    .align = PAGE,
                                    .relro_start = 20 * PAGE,
                                    .relro_end = 21 * PAGE };
  for (size_t i = 0; i < n; ++i)
    object.segment[i]
        = (struct hugetext_segment){ .start = (16 + 4 * i) * PAGE,
                                     .end = (19 + 4 * i) * PAGE,
                                     .fileend = (18 + 4 * i) * PAGE,
                                     .datastart = (16 + 4 * i) * PAGE + 3,
                                     .dataend = (18 + 4 * i) * PAGE + 3,
                                     .offset = i * PAGE,
                                     .read = true,
                                     .exec = i == n / 2,
                                     .write = i > n / 2 };
  return object;
}

static unsigned long int changes;

static void
expect_check (const struct hugetext_object *object, bool good)
{
  test_object = object;
  EXPECT_EQUAL (hugetext_object_check (object, &geo) == NULL, good);
  test_object = NULL;
  ++changes;
}

/* Test the limits, which the random objects of tst-plan-random hardly meet.
   The loader must accept an object that is exactly at a limit.  */
static void
check_limits (void)
{
  const uintptr_t page = PAGE;
  const uintptr_t limit = UINTPTR_MAX / 4;
  static const struct
  {
    uintptr_t align, relro_start, relro_end;
    bool good;
  } rows[] = { { 1, 20 * PAGE, 21 * PAGE, true },
               { 0, 20 * PAGE, 21 * PAGE, false },
               { 3 * PAGE, 20 * PAGE, 21 * PAGE, false },
               { HUGETEXT_ALIGN_MAX, 20 * PAGE, 21 * PAGE, true },
               { 2 * HUGETEXT_ALIGN_MAX, 20 * PAGE, 21 * PAGE, false },
               { PAGE, 21 * PAGE, 21 * PAGE, true },
               { PAGE, 21 * PAGE + 1, 21 * PAGE, false },
               { PAGE, 16 * PAGE, 21 * PAGE, true },
               { PAGE, 16 * PAGE - 1, 21 * PAGE, false },
               { PAGE, 20 * PAGE, UINTPTR_MAX / 4, true },
               { PAGE, 20 * PAGE, UINTPTR_MAX / 4 + 1, false },
               { PAGE, 0, 0, true } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    {
      struct hugetext_object object = good_object (3);
      object.align = rows[i].align;
      object.relro_start = rows[i].relro_start;
      object.relro_end = rows[i].relro_end;
      expect_check (&object, rows[i].good);
    }

  /* An object with one segment too many.  The memory after the last segment
     is not a valid segment either, so check the message, too.  */
  struct hugetext_object many = good_object (HUGETEXT_SEGMENTS_MAX);
  many.nsegments = HUGETEXT_SEGMENTS_MAX + 1;
  expect_check (&many, false);
  EXPECT (strcmp (hugetext_object_check (&many, &geo),
                  "the object has too many segments")
          == 0);

  /* The end of the address space.  */
  for (unsigned int i = 0; i < 64; ++i)
    {
      struct hugetext_object object = good_object (1);
      struct hugetext_segment *s = &object.segment[0];
      uintptr_t top
          = i < 8 ? limit - limit % page + (i - 4) * page : (uintptr_t) 1 << i;
      s->start = s->fileend = s->datastart = top - page;
      s->end = s->dataend = top;
      s->exec = false;
      object.relro_start = object.relro_end = 0;
      expect_check (&object, top <= limit);
    }

  /* The limit is for the text of all segments together.  Each segment may
     touch two blocks more than its size fills.  */
  for (size_t n = 1; n <= HUGETEXT_SEGMENTS_MAX; ++n)
    {
      uintptr_t blocks = HUGETEXT_BLOCKS_MAX / n - 2;
      for (int writable = 0; writable < 2; ++writable)
        for (uintptr_t more = 0; more < 3; ++more)
          {
            struct hugetext_object object = good_object (1);
            uintptr_t sum = 0;
            object.nsegments = n;
            for (size_t i = 0; i < n; ++i)
              {
                struct hugetext_segment *s = &object.segment[i];
                uintptr_t mine = i < n - 1
                                     ? blocks
                                     : HUGETEXT_BLOCKS_MAX
                                           - (n - 1) * (blocks + 2) - 2 + more;
                s->start = i * HUGETEXT_BLOCKS_MAX * BLOCK;
                s->end = s->start + mine * BLOCK;
                s->datastart = s->start;
                s->fileend = s->dataend = s->end;
                s->offset = s->start;
                s->exec = true;
                s->write = writable;
                sum += mine + 2;
              }
            object.relro_start = object.relro_end = 0;
            expect_check (&object, writable || sum <= HUGETEXT_BLOCKS_MAX);
          }
    }
  group_done ("valid and invalid objects", changes);
}

int
main (void)
{
  unsigned long int all = 0;
  test_geo = &geo;
  check_limits ();
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    {
      /* Let the segments start at addresses low enough for blocks with
         link-time addresses below zero.  If only one segment is long, start
         high enough for the others.  */
      Elf64_Phdr phdr[6];
      layouts = 0;
      try_segments (&groups[i], phdr, 0, 0);
      group_done (groups[i].name, layouts);
      all += layouts;
    }
  printf ("%lu layouts at %d residues\n", all, BLOCK / PAGE);
  return 0;
}
