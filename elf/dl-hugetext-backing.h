/* Backings: the ways to have blocks on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A backing prepares blocks in a staging area, aligned, beside the text: it
   maps, touches and fills them. dl-hugetext-stage.c asks the kernel whether a
   block is huge, and dl-hugetext-install.c moves blocks over the text, charges
   and reports them, for all backings alike.  So a new backing is one file, one
   struct hugetext_backing, and one place in dl-hugetext-chain.c's order of
   preference.  */

#ifndef _DL_HUGETEXT_BACKING_H
#define _DL_HUGETEXT_BACKING_H 1

#include "dl-hugetext-names.h"
#include "dl-hugetext-source.h"

/* The most blocks in a run: arrays of this size lie on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* A run: successive blocks of an object that the loader makes together.  */
struct hugetext_run
{
  struct hugetext_attempt *attempt;
  const struct hugetext_object *object; /* NULL if it is not mapped yet.  */
  int source;      /* Descriptor of the object's file, from which copies are
                      read; -1 if nothing is copied.  */
  uintptr_t start; /* Run-time address of the text.  */
  size_t nblocks;
  int prot;        /* Protection that the text needs.  */
  int file;        /* Descriptor of the file that the backings file and store
                      map,  */
  uint64_t offset; /* and the offset of START in that file.  */
  const struct hugetext_index_image *image; /* For the backing store.  */
  bool whole_core;                          /* A core dump must contain the
                                               whole run.  */

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

struct hugetext_backing
{
  enum hugetext_way way;
  bool charged; /* The backing takes memory that limits count.  */

  /* The outcome of a block that the kernel did not map huge.  */
  enum hugetext_outcome if_small;

  /* Return how many blocks of RUN, from the first one on, have the same
     outcome: HUGETEXT_MADE in OUTCOME if this backing can have them, or the
     reason why it can have none.  NULL if the backing cannot tell before it
     maps.  */
  size_t (*select) (const struct hugetext_run *run,
                    enum hugetext_outcome *outcome);

  /* Map RUN's staging area: set its STAGING, and lower its NBLOCKS if the
     backing has fewer blocks.  Return HUGETEXT_MADE or the reason for a
     failure.  */
  enum hugetext_outcome (*map) (struct hugetext_run *run);

  /* Touch at least one page of each block of RUN, so that the kernel maps
     it.  */
  void (*touch) (struct hugetext_run *run);

  /* Try to make blocks of RUN huge that are not HUGE, by the next means from
     number WAY on that applies, and count WAY up.  Return false if no means is
     left.  */
  bool (*retry) (struct hugetext_run *run, unsigned int *way);

  /* Fill block I of RUN, which is huge.  NULL if touching a block fills
     it.  */
  enum hugetext_outcome (*fill) (struct hugetext_run *run, size_t i);

  /* Give blocks [FIRST, LAST) of RUN their final protection.  NULL if map
     gives it to them.  */
  enum hugetext_outcome (*seal) (struct hugetext_run *run, size_t first,
                                 size_t last);
};

/* A function that fills in a backing.  There is no constant table of backings,
   because every start, with huge text or without, would have to relocate its
   pointers.  */
typedef void hugetext_backing_row (struct hugetext_backing *backing);

/* The object's own file: dl-hugetext-file.c.  */
extern hugetext_backing_row _dl_hugetext_file attribute_hidden;

/* Copies: dl-hugetext-copy.c.  */
extern hugetext_backing_row _dl_hugetext_thp attribute_hidden;
extern hugetext_backing_row _dl_hugetext_memory_file attribute_hidden;
extern hugetext_backing_row _dl_hugetext_hugetlb attribute_hidden;

/* Address of block I in RUN's staging area.  */
static inline uintptr_t
_dl_hugetext_staged (const struct hugetext_run *run, size_t i)
{
  return run->staging + i * run->attempt->geo.block;
}

#endif /* dl-hugetext-backing.h */
