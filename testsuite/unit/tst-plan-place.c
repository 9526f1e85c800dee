/* Tests of the placement: never worse than the best of all residues.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Small layouts are tried exhaustively, larger ones at random, and some that
   linkers have really made one by one, with the figures each should get.
   check_place in plan-reference.h says what is compared.  */

#include "plan-reference.h"

#define R PF_R
#define RX (PF_R | PF_X)
#define X PF_X
#define RW (PF_R | PF_W)
#define RWX (PF_R | PF_W | PF_X)

static struct page_map map;

/* Small layouts.  */

#define PAGE 16

static const struct hugetext_geometry small
    = { .page = PAGE, .block = 8 * PAGE };

/* All combinations of these are tried, a letter or digit each (flags_of).  */
struct group
{
  const char *name;
  size_t segments;
  const char *flags;
  const char *pages;     /* Lengths, beginning with a.  */
  const char *gaps;      /* In front of all but the first.  */
  const char *align;     /* p_align: powers of two, in pages.  */
  const char *threshold; /* In quarters of a page, beginning with a.  */
};

static const struct group groups[] = {
  { "place one segment", 1, "rxXwW", "bchijy", "0", "012345", "abemoG" },
  { "place two segments", 2, "rxXwW", "bcfijp", "019", "012345", "abemoG" },
  { "place three segments", 3, "rxXw", "bdgj", "02", "01234", "abkoG" },
  { "place four segments", 4, "rxXw", "cfj", "01", "02", "abk" },
};

/* The number that LETTER stands for.  */
static unsigned int
number (char letter)
{
  return letter >= 'a' ? letter - 'a' : letter - 'A' + 26;
}

static unsigned long int cases;

static void
place_layout (const struct group *group, const Elf64_Phdr *phdr, size_t n)
{
  struct hugetext_object object;
  object_from_phdrs (&object, PAGE, phdr, n);
  test_object = &object;
  EXPECT (hugetext_object_check (&object, &small) == NULL);
  EXPECT (paint (&map, PAGE, phdr, n));
  for (const char *align = group->align; *align != '\0'; ++align)
    for (const char *threshold = group->threshold; *threshold != '\0';
         ++threshold)
      {
        object.align = PAGE << (*align - '0');
        test_threshold = number (*threshold) * (PAGE / 4);
        check_place (&map, &object, &small, test_threshold);
        ++cases;
      }
  test_object = NULL;
}

static void
try_segments (const struct group *group, Elf64_Phdr *phdr, size_t n,
              uintptr_t end)
{
  if (n == group->segments)
    {
      place_layout (group, phdr, n);
      return;
    }
  for (const char *gap = group->gaps; *gap != '\0'; ++gap)
    for (const char *pages = group->pages; *pages != '\0'; ++pages)
      for (const char *flags = group->flags; *flags != '\0'; ++flags)
        {
          if (n == 0 && gap != group->gaps)
            continue;
          uintptr_t start = end + (*gap - '0') * PAGE;
          uintptr_t stop = start + number (*pages) * PAGE;
          phdr[n] = (Elf64_Phdr){
            .p_type = PT_LOAD,
            .p_flags = flags_of (*flags),
            .p_vaddr = start,
            /* Congruent to something else than the address.  */
            .p_offset = start - 3 * PAGE * n,
            .p_filesz = stop - start,
            .p_memsz = stop - start,
            .p_align = PAGE
          };
          try_segments (group, phdr, n + 1, stop);
        }
}

/* Larger layouts, at random.  */

static unsigned int
below (uint64_t *state, unsigned int limit)
{
  return next_random (state) % limit;
}

static void
place_random (void)
{
  static const char all_flags[] = "rrrxxxxXwwWn";
  uint64_t state = 20220805;
  test_object = NULL;
  for (cases = 0; cases < 60000; ++cases)
    {
      struct hugetext_geometry geo
          = { .page = 64, .block = 64 << (2 + below (&state, 5)) };
      unsigned int block_pages = geo.block / geo.page;
      Elf64_Phdr phdr[8];
      size_t n = 1 + below (&state, 6);
      uintptr_t end = below (&state, 2) * below (&state, 100) * geo.page;
      for (size_t i = 0; i < n; ++i)
        {
          uintptr_t start = end;
          if (below (&state, 2) == 0)
            start += below (&state, 2 * block_pages) * geo.page;
          unsigned int pages = 1 + below (&state, 2 * block_pages);
          phdr[i] = (Elf64_Phdr){
            .p_type = PT_LOAD,
            .p_flags
            = flags_of (all_flags[below (&state, sizeof all_flags - 1)]),
            .p_vaddr = start + below (&state, 2) * below (&state, 60),
            .p_offset = below (&state, 1000) * geo.page
          };
          end = start + pages * geo.page;
          phdr[i].p_memsz = end - phdr[i].p_vaddr;
          if (below (&state, 8) == 0)
            phdr[i].p_memsz -= below (&state, geo.page - 61);
          phdr[i].p_filesz = phdr[i].p_memsz;
          if (below (&state, 16) == 0)
            phdr[i].p_filesz = below (&state, phdr[i].p_memsz + 1);
        }
      size_t all = n;
      if (below (&state, 2) == 0)
        {
          /* At the start of a segment or anywhere in it.  */
          const Elf64_Phdr *relro = &phdr[below (&state, n)];
          uintptr_t skip = below (&state, 2) * below (&state, relro->p_memsz);
          phdr[all++] = (Elf64_Phdr){ .p_type = PT_GNU_RELRO,
                                      .p_vaddr = relro->p_vaddr + skip,
                                      .p_memsz = below (
                                          &state, relro->p_memsz - skip + 1) };
        }

      struct hugetext_object object;
      object_from_phdrs (&object, geo.page, phdr, all);
      object.align = geo.page << below (&state, 4);
      if (below (&state, 8) == 0)
        object.align = geo.block << below (&state, 3);
      else if (below (&state, 8) == 0)
        object.align = 1 << below (&state, 6);
      uintptr_t threshold = below (&state, 2) * below (&state, geo.block + 2);
      test_object = &object;
      test_geo = &geo;
      test_threshold = threshold;
      EXPECT (paint (&map, geo.page, phdr, all));
      EXPECT (hugetext_object_check (&object, &geo) == NULL);
      check_place (&map, &object, &geo, threshold);

      /* What is not read has no influence.  */
      struct hugetext_placement one, other;
      memset (&one, 0, sizeof one);
      memset (&other, 0, sizeof other);
      bool any = place (&object, &geo, threshold, &one);
      object.bias = next_random (&state) & -geo.page;
      object.low = next_random (&state);
      object.high = next_random (&state);
      EXPECT_EQUAL (place (&object, &geo, threshold, &other), any);
      EXPECT (memcmp (&one, &other, sizeof one) == 0);
      test_object = NULL;
      test_geo = &small;
    }
  group_done ("place at random", cases);
}

/* Layouts that linkers have made.  */

#define MIB UINT64_C (0x100000)

static const struct hugetext_geometry x86
    = { .page = 0x1000, .block = 2 * MIB };

struct real
{
  const char *name;
  uintptr_t threshold;
  uintptr_t text; /* Expected of hugetext_place.  */
  size_t blocks;
  uintptr_t before, after;
  int64_t residue; /* -1: any.  */
  Elf64_Phdr phdr[12];
};

#define LOAD(flags, vaddr, filesz, memsz, offset, align)            \
  {                                                                 \
    .p_type = PT_LOAD, .p_flags = (flags), .p_vaddr = (vaddr),      \
    .p_filesz = (filesz), .p_memsz = (memsz), .p_offset = (offset), \
    .p_align = (align)                                              \
  }
#define RELRO(vaddr, memsz)                                        \
  {                                                                \
    .p_type = PT_GNU_RELRO, .p_vaddr = (vaddr), .p_memsz = (memsz) \
  }

/* Of Debian 12.  */
#define POSTGRESQL                                              \
  LOAD (R, 0, 0xcca60, 0xcca60, 0, 0x1000),                     \
      LOAD (RX, 0xcd000, 0x5299a9, 0x5299a9, 0xcd000, 0x1000),  \
      LOAD (R, 0x5f7000, 0x258e30, 0x258e30, 0x5f7000, 0x1000), \
      LOAD (RW, 0x8508b0, 0x350da, 0x67050, 0x8508b0, 0x1000),  \
      RELRO (0x8508b0, 0x20750)
#define LIBC                                                   \
  LOAD (R, 0, 0x27ad0, 0x27ad0, 0, 0x1000),                    \
      LOAD (RX, 0x28000, 0x155d8d, 0x155d8d, 0x28000, 0x1000), \
      LOAD (R, 0x17e000, 0x55948, 0x55948, 0x17e000, 0x1000),  \
      LOAD (RW, 0x1d4910, 0x4f90, 0x123c0, 0x1d4910, 0x1000),  \
      RELRO (0x1d4910, 0x36f0)

static const struct real reals[] = {
  /* All of its text fits three blocks, also if these begin with text: then the
     ELF header lies in none.  The third ends inside the read-only data.  */
  { "PostgreSQL 15", 0x10000, 0x5299a9, 3, 0, 0, 0x133000, { POSTGRESQL } },
  /* There the last block holds 0x1299a9 bytes of it; if that is not enough,
     it has to move, with the header or not.  */
  { "PostgreSQL 15, threshold 0x129000",
    0x129000,
    0x5299a9,
    3,
    0,
    0,
    0x133000,
    { POSTGRESQL } },
  /* Without edge blocks two are better than the one of residue 0.  */
  { "PostgreSQL 15, no edges", 0, 4 * MIB, 2, 0, 0, 0x133000, { POSTGRESQL } },
  /* One block, by ending where the writable segment begins.  */
  { "libc", 0x10000, 0x155d8d, 1, 0x2c000, 0, 0x2c000, { LIBC } },
  /* Old style, p_align 2 MiB: a hole of 2 MiB between text and data, which
     the object owns.  */
  { "old style, 2 MiB",
    0x10000,
    0x3a5c34,
    2,
    0,
    0,
    0,
    { LOAD (RX, 0, 0x3a5c34, 0x3a5c34, 0, 0x200000),
      LOAD (RW, 0x5a6d80, 0x9280, 0xa3c0, 0x3a6d80, 0x200000),
      RELRO (0x5a6d80, 0x7280) } },
  /* BOLT: the old text stays where it was, the new one follows the data in
     blocks of its own.  p_align is 2 MiB, so there is no choice.  */
  { "BOLT",
    0x10000,
    0x1a00000 + 0x180000,
    14,
    0,
    0,
    0,
    { LOAD (R, 0, 0x600000, 0x600000, 0, 0x1000),
      LOAD (RX, 0x680000, 0x180000, 0x180000, 0x680000, 0x1000),
      LOAD (RW, 0x800000, 0x400000, 0x580000, 0x800000, 0x1000),
      LOAD (RX, 0x5000000, 0x1a00000, 0x1a00000, 0x1000000, 0x200000) } },
  /* p_align 64 KiB leaves 32 residues: text ends 0x5c34 bytes into a step of
     64 KiB, the gap of less than that decides.  */
  { "64 KiB, gap",
    0x10000,
    0x3a5c34,
    2,
    0x50000,
    0,
    0x50000,
    { LOAD (RX, 0, 0x3a5c34, 0x3a5c34, 0, 0x10000),
      LOAD (RW, 0x3b6d80, 0x9280, 0xa3c0, 0x3a6d80, 0x10000) } },
  /* node of Debian 12: several RX segments and a hole of a page between
     them.  Linked as it is, at residue 0, its last 0x1f1 bytes lie in a
     block of their own.  */
  { "node",
    0x10000,
    0x1a8dd21,
    14,
    0,
    0,
    -1,
    { LOAD (R, 0x400000, 0x76e5d8, 0x76e5d8, 0, 0x1000),
      LOAD (RX, 0xb6f000, 0x1e90, 0x1e90, 0x76f000, 0x1000),
      LOAD (RX, 0xb72000, 0x1a8bca0, 0x1a8bca0, 0x772000, 0x1000),
      LOAD (RX, 0x2600000, 0x1f1, 0x1f1, 0x2200000, 0x1000),
      LOAD (R, 0x2601000, 0x3038cae, 0x3038cae, 0x2201000, 0x1000),
      LOAD (RW, 0x563aec8, 0x215f8, 0x4dfc8, 0x5239ec8, 0x1000),
      RELRO (0x563aec8, 0x3138) } },
  /* Execute-only text as lld makes it: whole blocks of it only.  */
  { "execute-only",
    0x10000,
    2 * MIB,
    1,
    0,
    0,
    -1,
    { LOAD (R, 0, 0x27ad0, 0x27ad0, 0, 0x1000),
      LOAD (X, 0x28000, 0x2d5d8d, 0x2d5d8d, 0x28000, 0x1000),
      LOAD (R, 0x2fe000, 0x55948, 0x55948, 0x2fe000, 0x1000) } },
};

static void
place_real (void)
{
  size_t count = sizeof reals / sizeof reals[0];
  test_geo = &x86;
  for (size_t i = 0; i < count; ++i)
    {
      const struct real *real = &reals[i];
      struct hugetext_object object;
      struct hugetext_placement placed;
      size_t n = sizeof real->phdr / sizeof real->phdr[0];
      while (real->phdr[n - 1].p_memsz == 0)
        --n;
      object_from_phdrs (&object, x86.page, real->phdr, n);
      fprintf (stderr, "%s\n", real->name);
      test_object = &object;
      test_threshold = real->threshold;
      EXPECT (hugetext_object_check (&object, &x86) == NULL);
      EXPECT (paint (&map, x86.page, real->phdr, n));
      check_place (&map, &object, &x86, real->threshold);

      bool any = place (&object, &x86, real->threshold, &placed);
      EXPECT_EQUAL (any, real->blocks != 0);
      EXPECT_EQUAL (placed.text, real->text);
      EXPECT_EQUAL (placed.blocks, real->blocks);
      EXPECT_EQUAL (placed.before, real->before);
      EXPECT_EQUAL (placed.after, real->after);
      EXPECT (real->residue < 0
              || placed.residue == (uintptr_t) real->residue);
      test_object = NULL;
    }
  group_done ("place real objects", count);
}

/* Small pages of other sizes (AArch64).  */
static void
geometry (void)
{
  const struct hugetext_geometry usual = hugetext_geometry (4096);
  const struct hugetext_geometry large = hugetext_geometry (16384);
  EXPECT_EQUAL (usual.block, 2 * MIB);
  EXPECT_EQUAL (large.page, 16384);
  EXPECT_EQUAL (large.block, 32 * MIB);
  EXPECT_EQUAL (hugetext_geometry (65536).block, 0);
  EXPECT_EQUAL (hugetext_threshold (&usual, 65536), 65536);
  EXPECT_EQUAL (hugetext_threshold (&usual, 0), 0);
  EXPECT_EQUAL (hugetext_threshold (&large, 65536), 16 * MIB);
  EXPECT_EQUAL (hugetext_threshold (&large, 0), 0);
  group_done ("geometry", 8);
}

int
main (void)
{
  geometry ();
  place_real ();
  test_geo = &small;
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    {
      Elf64_Phdr phdr[4];
      cases = 0;
      try_segments (&groups[i], phdr, 0, 3 * PAGE);
      group_done (groups[i].name, cases);
    }
  place_random ();
  return 0;
}
