/* Backings: the ways to have blocks on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A backing prepares blocks in a staging area, aligned, beside the text, until
   the kernel says that they are huge. dl-hugetext-install.c moves blocks over
   the text, charges and records them, for all backings alike.  There are two
   kinds of backings: files (the object's own, or its image in the store) and
   copies (thp, memory file, hugetlb).  */

#ifndef _DL_HUGETEXT_BACKING_H
#define _DL_HUGETEXT_BACKING_H 1

#include "dl-hugetext-names.h"
#include "dl-hugetext-attempt.h"

/* The most blocks in a run: arrays of this size lie on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* A run: successive blocks of an object that the loader makes together.  */
struct hugetext_run
{
  struct hugetext_attempt *attempt;
  const struct hugetext_object *object; /* NULL if it is not mapped yet.  */
  enum hugetext_way way;
  bool program;    /* The object is the program.  */
  int source;      /* Descriptor of the object's file, from which copies are
                      read.  */
  uintptr_t start; /* Run-time address of the text.  */
  size_t nblocks;
  int prot;        /* Protection that the text needs.  */
  int file;        /* Descriptor of the file that the backings file and store
                      map,  */
  uint64_t size;   /* its size,  */
  uint64_t offset; /* and the offset of START in that file.  */

  /* The staging area.  */
  uintptr_t staging;
  bool untouched;  /* No page of the staging area has been touched, see
                      _dl_hugetext_probe.  */
  int memory_file; /* The memory file that the staging area maps, or -1.  */

  bool huge[HUGETEXT_RUN_MAX];      /* The kernel's last answer for each
                                       block.  */
  bool just_read[HUGETEXT_RUN_MAX]; /* For the backings file and store: a part
                                       of the block had to be read, or may be
                                       read again.  */
  enum hugetext_outcome outcome[HUGETEXT_RUN_MAX];
};

/* Address of block I in RUN's staging area.  */
static inline uintptr_t
_dl_hugetext_staged (const struct hugetext_run *run, size_t i)
{
  return run->staging + i * run->attempt->geo.block;
}

/* Ask the kernel which blocks of RUN are HUGE; return whether all are.  */
static inline bool
_dl_hugetext_is_huge (struct hugetext_run *run)
{
  return (_dl_hugetext_probe (run->attempt, run->staging, run->nblocks,
                              run->untouched, run->way != HUGETEXT_WAY_FILE,
                              run->huge)
          == run->nblocks);
}

/* Map RUN's staging area, touch its blocks, and have the kernel make them
   huge.  Lower NBLOCKS if the file has fewer blocks.  Set HUGE and OUTCOME of
   each block: HUGETEXT_MADE only where the kernel says that it has mapped the
   block huge.  Return HUGETEXT_MADE, or why there is no staging area.  */
extern enum hugetext_outcome
_dl_hugetext_stage_file (struct hugetext_run *run) attribute_hidden;
extern enum hugetext_outcome
_dl_hugetext_stage_copies (struct hugetext_run *run) attribute_hidden;

/* Fill block I of RUN, which is huge, if it is a copy; if it is of an image,
   compare it with the text.  */
extern enum hugetext_outcome _dl_hugetext_fill (struct hugetext_run *run,
                                                size_t i) attribute_hidden;

/* Give blocks [FIRST, LAST) of RUN, which are copies, the protection of
   text.  */
extern enum hugetext_outcome _dl_hugetext_seal (struct hugetext_run *run,
                                                size_t first,
                                                size_t last) attribute_hidden;

/* Move blocks [FIRST, LAST) of RUN from the staging area over the text. Return
   HUGETEXT_MADE, HUGETEXT_NOT_PLACED if the old text is in place, or
   HUGETEXT_LOST if the kernel has removed that and it could not be mapped
   again.  */
extern enum hugetext_outcome _dl_hugetext_move (const struct hugetext_run *run,
                                                size_t first,
                                                size_t last) attribute_hidden;

/* Have the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks from OFFSET of the file
   FD, which has SIZE bytes, cached in huge pages as far as possible, reading
   what is not cached.  Returns how many are.  */
extern size_t _dl_hugetext_cache_huge (struct hugetext_attempt *attempt,
                                       int fd, uint64_t size, uint64_t offset,
                                       size_t nblocks) attribute_hidden;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* The room cache changes the page cache so that it has text in huge pages.
   Prepare to place the program OBJECT, which the kernel has mapped, with its
   headers at HEADERS: unmap its pages that have been touched, and note whether
   exec has read it from the disk.  */
extern void _dl_hugetext_prepare_program (struct hugetext_attempt *attempt,
                                          const struct hugetext_object *object,
                                          uintptr_t headers) attribute_hidden;

/* Fault the blocks of RUN, which are of a file, in and note the blocks that
   had to be read.  False if the kernel cannot count reads; then nothing is
   touched.  */
extern bool
_dl_hugetext_touch_counting (struct hugetext_run *run) attribute_hidden;

/* Have blocks of RUN, not all of which are HUGE, cached in huge pages: evict
   those that are small because of this start and read them again, then ask the
   kernel to gather pages.  */
extern void
_dl_hugetext_retry_file (struct hugetext_run *run) attribute_hidden;

/* The room memfile makes copies in memory files, where anonymous memory does
   not do.  Whether a memory file may become executable; the loader finds out
   once in a process.  */
extern bool _dl_hugetext_may_memory_file (struct hugetext_attempt *attempt)
    attribute_hidden;

/* Map the staging area of RUN from a new memory file.  */
extern enum hugetext_outcome
_dl_hugetext_map_memory_file (struct hugetext_run *run) attribute_hidden;

/* Make blocks [FIRST, LAST) of RUN executable.  */
extern enum hugetext_outcome
_dl_hugetext_seal_memory_file (struct hugetext_run *run, size_t first,
                               size_t last) attribute_hidden;

#endif

#endif /* dl-hugetext-backing.h */
