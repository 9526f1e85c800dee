/* The description of an object, for the loader and the command alike.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Made from program headers alone, so that an object is described alike when
   a place is chosen for it, when its text is put on huge pages, by the
   command, and by the unit tests.

   Nothing here makes a system call, allocates memory or keeps state.  All
   addresses of segments are link-time addresses.  */

#ifndef _DL_HUGETEXT_OBJECT_H
#define _DL_HUGETEXT_OBJECT_H 1

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object with more PT_LOAD segments than this is left alone.  Linkers
   make 4, BOLT up to 8; the arrays live on the loader's stack.  */
#define HUGETEXT_SEGMENTS_MAX 32

/* Likewise with more program headers.  Linkers make 8 to 14, BOLT up to 18:
   twice the segments leaves room for as many headers of other kinds.  */
#define HUGETEXT_PHDRS_MAX (2 * HUGETEXT_SEGMENTS_MAX)

/* An object whose text touches more blocks than this is left alone (32 GiB
   with 2 MiB blocks): it bounds the time that a malformed program header
   can cost.  */
#define HUGETEXT_BLOCKS_MAX 16384

/* Larger huge pages than this are not worth having for text (they are 32 MiB
   with small pages of 16 KiB, 512 MiB with 64 KiB).  Also the largest for
   which a mapping may be aligned without wasting much address space.  */
#define HUGETEXT_BLOCK_MAX (32UL << 20)

/* An object that asks for more alignment than this, which nothing but huge
   pages of 1 GiB could be for, is left alone: of its addresses fewer than 17
   bits would be random.  */
#define HUGETEXT_ALIGN_MAX (1UL << 30)

static inline uintptr_t
hugetext_round_down (uintptr_t value, uintptr_t unit)
{
  return value & -unit;
}

static inline uintptr_t
hugetext_min (uintptr_t a, uintptr_t b)
{
  return a < b ? a : b;
}

static inline uintptr_t
hugetext_max (uintptr_t a, uintptr_t b)
{
  return a > b ? a : b;
}

/* Sizes in bytes, powers of two.  */
struct hugetext_geometry
{
  uintptr_t page;  /* Small page.  */
  uintptr_t block; /* Huge page.  */
};

/* One PT_LOAD segment.  */
struct hugetext_segment
{
  uintptr_t start;     /* First page.  */
  uintptr_t end;       /* End of the last page.  */
  uintptr_t fileend;   /* End of the last page whose contents are
                          the file's and nothing else; zero fill
                          begins in the page after it.  */
  uintptr_t datastart; /* p_vaddr.  */
  uintptr_t dataend;   /* p_vaddr + p_filesz.  */
  uint64_t offset;     /* File offset of START.  */
  bool read, write, exec;
};

/* Everything that there is to know about one object.  */
struct hugetext_object
{
  struct hugetext_segment segment[HUGETEXT_SEGMENTS_MAX];
  size_t nsegments;
  uintptr_t relro_start; /* Link-time, rounded outwards to pages;  */
  uintptr_t relro_end;   /* equal if there is no RELRO.  */
  uintptr_t align;       /* Largest p_align, a power of two.  */
  uintptr_t bias;        /* Load bias.  */
  uintptr_t low, high;   /* Run-time range in which holes belong to
                            the object, or may be claimed for it.  */
  int extra_prot;        /* Protection that its text needs besides
                            PROT_READ and PROT_EXEC; not read by the
                            policy.  */
};

/* The sizes that go with small pages of PAGE bytes: a huge page is what one
   page of page table entries maps.  BLOCK is 0 if that is too large for
   text.  */
extern struct hugetext_geometry hugetext_geometry (uintptr_t page);

/* Describe in OBJECT what the PHNUM program headers PHDR say, for small pages
   of PAGE bytes: load bias 0, no range for holes.  What is not a valid
   object is found by hugetext_object_check.  */
extern void hugetext_describe (struct hugetext_object *object,
                               const ElfW (Phdr) * phdr, size_t phnum,
                               uintptr_t page);

/* The fault of an object as a whole; NULL if it has none.  Checks that
   segments ascend, do not share pages and do not wrap around.  Must be
   called, and return NULL, before any other function sees OBJECT.  */
extern const char *hugetext_object_check (const struct hugetext_object *object,
                                          const struct hugetext_geometry *geo);

/* A number that tells OBJECT from others: of its segments and RELRO, but not
   of its alignment, which glibc may have raised, and of where it is
   mapped.  */
extern uint64_t hugetext_object_digest (const struct hugetext_object *object);

/* Whether SEGMENT is text: executable and not writable.  */
static inline bool
hugetext_is_text (const struct hugetext_segment *segment)
{
  return segment->exec && !segment->write;
}

/* Bytes of text in all of OBJECT, without zero fill.  */
extern uintptr_t hugetext_object_text (const struct hugetext_object *object);

/* Address and length of the range from the first to the last segment.  */
extern uintptr_t hugetext_object_start (const struct hugetext_object *object);
extern size_t hugetext_object_length (const struct hugetext_object *object);

/* Whether the ELF header, by which tools find an object in memory, is in
   [START, END) at run time.  */
static inline bool
hugetext_holds_header (const struct hugetext_object *object, uintptr_t start,
                       uintptr_t end)
{
  uintptr_t header = object->segment[0].start + object->bias;
  return (object->segment[0].offset == 0 && header >= start && header < end);
}

/* The part of a segment in a range of run-time addresses.  */
struct hugetext_piece
{
  uintptr_t start, end;
  uint64_t offset; /* In the file.  */
  const struct hugetext_segment *segment;
};

/* The next piece of OBJECT in [FROM, END); false if there is none.  What lies
   between pieces are holes.  */
extern bool hugetext_next_piece (const struct hugetext_object *object,
                                 uintptr_t from, uintptr_t end,
                                 struct hugetext_piece *piece);

#endif /* dl-hugetext-object.h */
