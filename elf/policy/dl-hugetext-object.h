/* The description of an object, for the loader and the command alike.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The description is made from program headers alone, so that the loader, when
   it chooses a place and when it makes blocks, the command and the unit tests
   describe an object alike.  All addresses of segments are link-time
   addresses.  */

#ifndef _DL_HUGETEXT_OBJECT_H
#define _DL_HUGETEXT_OBJECT_H 1

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object with more PT_LOAD segments than this is left alone.  Linkers
   make 4, BOLT up to 8; the arrays live on the loader's stack.  */
#define HUGETEXT_SEGMENTS_MAX 32

/* An object with more program headers than this is left alone, too.  Linkers
   make 8 to 14, BOLT up to 18: twice the segments leaves room for as many
   headers of other kinds.  */
#define HUGETEXT_PHDRS_MAX (2 * HUGETEXT_SEGMENTS_MAX)

/* An object whose text touches more blocks than this is left alone (2 GiB with
   2 MiB blocks): the limit bounds the time that a malformed program header can
   cost.  */
#define HUGETEXT_BLOCKS_MAX 1024

/* The largest huge page used for text (huge pages have 32 MiB with small pages
   of 16 KiB, 512 MiB with 64 KiB).  The number is also the largest alignment
   for which a mapping wastes little address space.  */
#define HUGETEXT_BLOCK_MAX (32UL << 20)

/* An object that asks for more alignment than this is left alone: only huge
   pages of 1 GiB could need it, and fewer than 17 bits of the object's
   addresses would be random.  */
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

/* The description of one object.  */
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
  int extra_prot;        /* Protection that the text needs besides PROT_READ
                            and PROT_EXEC; the policy does not read it.  */
};

/* Return the sizes for small pages of PAGE bytes: a huge page is the memory
   that one page of page table entries maps.  BLOCK is 0 if that is too large
   for text.  */
extern struct hugetext_geometry hugetext_geometry (uintptr_t page);

/* Describe the object with the PHNUM program headers PHDR in OBJECT, for small
   pages of PAGE bytes: the load bias is 0, and there is no range for holes.
   hugetext_object_check finds invalid objects.  */
extern void hugetext_describe (struct hugetext_object *object,
                               const ElfW (Phdr) * phdr, size_t phnum,
                               uintptr_t page);

/* Return the fault of OBJECT as a whole, NULL if it has none.  The segments
   must ascend, share no pages and not wrap around.  Callers must call this
   function, and get NULL, before they pass OBJECT to any other function but
   hugetext_object_text, which says what a faulty object claims to have.  */
extern const char *hugetext_object_check (const struct hugetext_object *object,
                                          const struct hugetext_geometry *geo);

/* Return a number that tells OBJECT from other objects: a digest of its
   segments and RELRO, without its alignment, which glibc may have raised, and
   without its place in memory.  */
extern uint64_t hugetext_object_digest (const struct hugetext_object *object);

/* Whether SEGMENT is text: executable and not writable.  */
static inline bool
hugetext_is_text (const struct hugetext_segment *segment)
{
  return segment->exec && !segment->write;
}

/* Return the bytes of text in OBJECT, without zero fill.  */
extern uintptr_t hugetext_object_text (const struct hugetext_object *object);

/* Address and length of the range from the first to the last segment.  */
extern uintptr_t hugetext_object_start (const struct hugetext_object *object);
extern size_t hugetext_object_length (const struct hugetext_object *object);

/* Whether OBJECT's ELF header, by which tools find an object in memory, is in
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
  uint64_t offset; /* Offset of START in the file.  */
  const struct hugetext_segment *segment;
};

/* Find the next piece of OBJECT in [FROM, END); false if there is none.  Holes
   lie between the pieces.  */
extern bool hugetext_next_piece (const struct hugetext_object *object,
                                 uintptr_t from, uintptr_t end,
                                 struct hugetext_piece *piece);

#endif /* dl-hugetext-object.h */
