/* Tests of the placement: never worse than the best of all residues.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Small layouts are tried exhaustively.  Some layouts that real linkers have
   made are in a table with the figures that are expected.  tst-plan-random
   tries larger layouts.  The comment of check_place in plan-reference.h says
   what is compared.  */

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

/* Try all combinations of the following properties.  Each value of a property
   is a letter (flags_of) or a digit.  */
struct group
{
  const char *name;
  size_t segments;
  const char *flags;
  const char *pages;     /* Lengths of the segments, in pages; the letter "a"
                            is the smallest one.  */
  const char *gaps;      /* Gaps in front of all segments but the first.  */
  const char *align;     /* The alignment p_align: powers of two, in
                            pages.  */
  const char *threshold; /* The threshold in quarters of a page; the letter
                            "a" is the smallest one.  */
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
          phdr[n]
              = (Elf64_Phdr){ .p_type = PT_LOAD,
                              .p_flags = flags_of (*flags),
                              .p_vaddr = start,
                              /* The offset is not congruent to the address. */
                              .p_offset = start - 3 * PAGE * n,
                              .p_filesz = stop - start,
                              .p_memsz = stop - start,
                              .p_align = PAGE };
          try_segments (group, phdr, n + 1, stop);
        }
}

/* Layouts that linkers have made.  */

#define MIB UINT64_C (0x100000)

static const struct hugetext_geometry x86
    = { .page = 0x1000, .block = 2 * MIB };

struct real
{
  const char *name;
  uintptr_t threshold;
  uintptr_t text; /* The result that is expected of hugetext_place.  */
  size_t blocks;
  uintptr_t before, after;
  int64_t residue; /* The residue that is expected, or -1 for any.  */
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

/* Programs of Debian 12.  */
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
  /* All of the text but the first page fits into three blocks that begin at
     its second page.  Then the ELF header and the first page are in no block,
     and keep the name of the file.  The third block ends inside the read-only
     data.  */
  { "PostgreSQL 15", 0x10000, 0x5289a9, 3, 0, 0, 0x132000, { POSTGRESQL } },
  /* One block fits, because it ends where the writable segment begins.  */
  { "libc", 0x10000, 0x155d8d, 1, 0x2c000, 0, 0x2c000, { LIBC } },
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
  /* node of Debian 12 has several RX segments and a hole of a page between
     them.  At residue 0, where it is linked, its last 0x1f1 bytes lie in a
     block of their own.  At all other residues, the loader leaves these last
     bytes in the mapping of the file, so that the object keeps its name.  */
  { "node",
    0x10000,
    0x1a8db30,
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
  /* A library like that of chdb, with 241.5 MiB of text.  A hundredth of the
     text is more than a block.  Therefore the plan does not save a block by
     leaving out the 1.5 MiB beyond 120 blocks.  The plan leaves out the last
     page only, which keeps the name of the file.  */
  { "chdb",
    0x10000,
    0xf17f000,
    121,
    0,
    0,
    0x2f000,
    { LOAD (R, 0, 0x251268, 0x251268, 0, 0x1000),
      LOAD (RX, 0x252000, 0xf180000, 0xf180000, 0x252000, 0x1000),
      LOAD (RW, 0xf3d2000, 0x20000, 0x20000, 0xf3d2000, 0x1000),
      RELRO (0xf3d2000, 0x1f000) } },
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
  return 0;
}
