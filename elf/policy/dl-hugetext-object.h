/* The description of an object, shared by the loader and the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The description depends only on the program headers, so the loader, the
   command and the unit tests get the same description of an object.  The
   loader uses the description to choose the object's address and its blocks.
   All addresses of segments are link-time addresses.  */

#ifndef _DL_HUGETEXT_OBJECT_H
#define _DL_HUGETEXT_OBJECT_H 1

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum number of PT_LOAD segments of an object that the loader handles.
   Linkers make 4 PT_LOAD segments, BOLT makes up to 8.  The limit must be
   small, because the arrays are on the loader's stack.  */
#define HUGETEXT_SEGMENTS_MAX 32

/* The maximum number of program headers of an object that the loader handles.
   Linkers make 8 to 14 program headers, BOLT makes up to 18.  An object with
   the maximum number of PT_LOAD segments may have the same number of headers
   of other types.  */
#define HUGETEXT_PHDRS_MAX (2 * HUGETEXT_SEGMENTS_MAX)

/* The maximum number of blocks that the text of an object may touch (2 GiB
   with blocks of 2 MiB).  Without a limit, a malformed program header could
   keep the loader busy for long.  */
#define HUGETEXT_BLOCKS_MAX 1024

/* The size in bytes of the largest huge page that the loader uses for text.
   If small pages have 16 KiB, huge pages have 32 MiB.  If small pages have 64
   KiB, huge pages have 512 MiB.  Aligning a mapping to 32 MiB wastes little
   address space, but aligning a mapping to 512 MiB would waste much.  */
#define HUGETEXT_BLOCK_MAX (32UL << 20)

/* The largest alignment of an object that the loader handles, in bytes.  Only
   an object for huge pages of 1 GiB could need an alignment of 1 GiB.  With
   an alignment above this limit, fewer than 17 bits of the object's address
   would be random.  */
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

/* The sizes of small and huge pages, in bytes.  Page sizes are powers of
   two.  */
struct hugetext_geometry
{
  uintptr_t page;  /* Size of a small page.  */
  uintptr_t block; /* Size of a huge page.  */
};

/* One PT_LOAD segment.  */
struct hugetext_segment
{
  uintptr_t start;     /* The start of the segment's first page.  */
  uintptr_t end;       /* The end of the segment's last page.  */
  uintptr_t fileend;   /* The end of the segment's last page whose bytes are
                          all from the file.  Zero fill begins in the next
                          page.  */
  uintptr_t datastart; /* p_vaddr.  */
  uintptr_t dataend;   /* The end of the bytes from the file: p_vaddr +
                          p_filesz.  */
  uint64_t offset;     /* The file offset of START.  */
  bool read, write, exec;
};

/* The description of an object.  */
struct hugetext_object
{
  struct hugetext_segment segment[HUGETEXT_SEGMENTS_MAX];
  size_t nsegments;
  uintptr_t relro_start; /* Link-time start of RELRO, rounded down to a page;
                            RELRO_END if the object has no RELRO.  */
  uintptr_t relro_end;   /* Link-time end of RELRO, rounded up to a page.  */
  uintptr_t align;       /* The largest p_align of the segments, a power of
                            two.  */
  uintptr_t bias;        /* The load bias: run-time address minus link-time
                            address.  */
  uintptr_t low, high;   /* The run-time addresses between which blocks may
                            lie.  Addresses of this range that have no segment
                            (holes) belong to the object, or may be reserved by
                            the loader.  */
  int extra_prot;        /* Protection bits of the text in addition to
                            PROT_READ and PROT_EXEC, such as PROT_BTI.  The
                            policy does not read this member.  */
};

/* Return the page sizes of a machine whose small pages have PAGE bytes.  A
   huge page is as large as the memory that one full page of page table
   entries maps.  If a huge page is larger than HUGETEXT_BLOCK_MAX, set the
   member BLOCK to 0.  */
extern struct hugetext_geometry hugetext_geometry (uintptr_t page);

/* Describe in OBJECT the object with the PHNUM program headers PHDR; small
   pages have PAGE bytes.  Set the load bias to 0, and the range of the blocks
   to empty.  This function does not detect invalid objects; use
   hugetext_object_check.  */
extern void hugetext_describe (struct hugetext_object *object,
                               const ElfW (Phdr) * phdr, size_t phnum,
                               uintptr_t page);

/* If OBJECT is invalid, return what is wrong with it; if it is valid, return
   NULL.  In a valid object, the segments ascend, share no pages and do not
   wrap around.  A caller must check an object with this function before it
   passes the object to another function.  Only hugetext_object_text accepts an
   invalid object, because it only adds up the sizes of text in the object's
   headers.  */
extern const char *hugetext_object_check (const struct hugetext_object *object,
                                          const struct hugetext_geometry *geo);

/* Return a digest of the segments and RELRO of OBJECT.  The loader
   distinguishes objects by their digests.  The digest depends neither on the
   run-time address nor on the alignment, which glibc may have raised.  */
extern uint64_t hugetext_object_digest (const struct hugetext_object *object);

/* Return true if SEGMENT is text: executable and not writable.  */
static inline bool
hugetext_is_text (const struct hugetext_segment *segment)
{
  return segment->exec && !segment->write;
}

/* Return how many bytes of text OBJECT has, not counting zero fill.  */
extern uintptr_t hugetext_object_text (const struct hugetext_object *object);

/* hugetext_object_start returns the link-time address of the first segment.
   hugetext_object_length returns the length in bytes from the beginning of the
   first segment to the end of the last segment.  */
extern uintptr_t hugetext_object_start (const struct hugetext_object *object);
extern size_t hugetext_object_length (const struct hugetext_object *object);

/* Return true if OBJECT's ELF header is in the run-time range [START, END).
   Tools look for the ELF header to find an object in memory.  */
static inline bool
hugetext_holds_header (const struct hugetext_object *object, uintptr_t start,
                       uintptr_t end)
{
  uintptr_t header = object->segment[0].start + object->bias;
  return (object->segment[0].offset == 0 && header >= start && header < end);
}

/* The part of a segment that lies in a given range of run-time addresses.  */
struct hugetext_piece
{
  uintptr_t start, end;
  uint64_t offset; /* The offset of START in the object's file.  */
  const struct hugetext_segment *segment;
};

/* Find the first piece (part of a segment) of OBJECT in [FROM, END).  Return
   false if OBJECT has no part of a segment in [FROM, END).  The ranges
   between the pieces of an object are holes, in which the object has no
   segment.  */
extern bool hugetext_next_piece (const struct hugetext_object *object,
                                 uintptr_t from, uintptr_t end,
                                 struct hugetext_piece *piece);

#endif /* dl-hugetext-object.h */
