/* The description of an object, shared by the loader and the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The description depends on the program headers alone.  So the loader (when
   it chooses a place and when it makes blocks), the command and the unit tests
   all describe an object alike.  All addresses of segments are link-time
   addresses.  */

#ifndef _DL_HUGETEXT_OBJECT_H
#define _DL_HUGETEXT_OBJECT_H 1

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most PT_LOAD segments of an object that the loader handles.  Linkers
   make 4, BOLT up to 8; the arrays lie on the loader's stack.  */
#define HUGETEXT_SEGMENTS_MAX 32

/* The most program headers of such an object.  Linkers make 8 to 14, BOLT up
   to 18; twice the segments allows as many headers of other kinds.  */
#define HUGETEXT_PHDRS_MAX (2 * HUGETEXT_SEGMENTS_MAX)

/* The most blocks that the text of such an object may touch (2 GiB with blocks
   of 2 MiB).  The limit bounds the time that a malformed program header can
   cost.  */
#define HUGETEXT_BLOCKS_MAX 1024

/* The largest huge page used for text, in bytes.  With small pages of 16 KiB
   huge pages have 32 MiB, with 64 KiB they have 512 MiB.  This is also the
   largest alignment for which a mapping wastes little address space.  */
#define HUGETEXT_BLOCK_MAX (32UL << 20)

/* The largest alignment of an object that the loader handles, in bytes.  Only
   huge pages of 1 GiB could need that much, and with more, fewer than 17 bits
   of the object's addresses would be random.  */
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
  uintptr_t page;  /* A small page.  */
  uintptr_t block; /* A huge page.  */
};

/* One PT_LOAD segment.  */
struct hugetext_segment
{
  uintptr_t start;     /* The first page.  */
  uintptr_t end;       /* The end of the last page.  */
  uintptr_t fileend;   /* The end of the last page that holds contents of the
                          file only; zero fill begins in the next page.  */
  uintptr_t datastart; /* p_vaddr.  */
  uintptr_t dataend;   /* p_vaddr + p_filesz.  */
  uint64_t offset;     /* The file offset of START.  */
  bool read, write, exec;
};

/* The description of one object.  */
struct hugetext_object
{
  struct hugetext_segment segment[HUGETEXT_SEGMENTS_MAX];
  size_t nsegments;
  uintptr_t relro_start; /* Link-time start of RELRO, rounded down to a page;
                            RELRO_END if the object has no RELRO.  */
  uintptr_t relro_end;   /* Its end, rounded up to a page.  */
  uintptr_t align;       /* Largest p_align, a power of two.  */
  uintptr_t bias;        /* Load bias.  */
  uintptr_t low, high;   /* The run-time range in which holes belong to the
                            object, or which the loader may claim for it.  */
  int extra_prot;        /* Protection that the text needs besides PROT_READ
                            and PROT_EXEC; the policy does not read it.  */
};

/* Return the sizes for small pages of PAGE bytes.  A huge page is the memory
   that one page of page table entries maps.  BLOCK is 0 if huge pages are
   larger than HUGETEXT_BLOCK_MAX.  */
extern struct hugetext_geometry hugetext_geometry (uintptr_t page);

/* Describe the object with the PHNUM program headers PHDR in OBJECT, for small
   pages of PAGE bytes.  The load bias is set to 0, and the range for holes is
   empty.  hugetext_object_check detects invalid objects.  */
extern void hugetext_describe (struct hugetext_object *object,
                               const ElfW (Phdr) * phdr, size_t phnum,
                               uintptr_t page);

/* Return what is wrong with OBJECT, NULL if it is valid.  The segments must
   ascend, share no pages and not wrap around.  Callers must get NULL from this
   function before they pass OBJECT to any other function except
   hugetext_object_text, which returns the text that even an invalid object
   claims to have.  */
extern const char *hugetext_object_check (const struct hugetext_object *object,
                                          const struct hugetext_geometry *geo);

/* Return a digest of the segments and RELRO of OBJECT, to distinguish it from
   other objects.  The digest excludes the alignment, which glibc may have
   raised, and the run-time address.  */
extern uint64_t hugetext_object_digest (const struct hugetext_object *object);

/* Whether SEGMENT is text: executable and not writable.  */
static inline bool
hugetext_is_text (const struct hugetext_segment *segment)
{
  return segment->exec && !segment->write;
}

/* Return the bytes of text in OBJECT, without zero fill.  */
extern uintptr_t hugetext_object_text (const struct hugetext_object *object);

/* Address and length of the range from the first segment to the last.  */
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
  uint64_t offset; /* The offset of START in the file.  */
  const struct hugetext_segment *segment;
};

/* Find the next piece of OBJECT in [FROM, END); false if there is none.  The
   ranges between pieces are holes.  */
extern bool hugetext_next_piece (const struct hugetext_object *object,
                                 uintptr_t from, uintptr_t end,
                                 struct hugetext_piece *piece);

#endif /* dl-hugetext-object.h */
