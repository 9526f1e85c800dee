/* Backings: the ways to have blocks on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A backing prepares blocks in a staging area, aligned, beside the text.  It
   maps, touches and fills; whether the kernel has mapped a block huge is
   asked by dl-hugetext-stage.c, and what is moved over text, charged and
   reported by dl-hugetext-install.c, for all backings alike.  So a new
   backing is one file and one row: a struct hugetext_backing, and its place
   in dl-hugetext-chain.c's order of preference.  */

#ifndef _DL_HUGETEXT_BACKING_H
#define _DL_HUGETEXT_BACKING_H 1

#include "dl-hugetext-names.h"
#include "dl-hugetext-source.h"

/* Most blocks to one run; what is known of them lives on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* Successive blocks of an object that are made together.  */
struct hugetext_run
{
  struct hugetext_attempt *attempt;
  const struct hugetext_object *object; /* NULL if it is not mapped yet.  */
  int source;      /* The object's file, for what is copied; -1 if
                      nothing is.  */
  uintptr_t start; /* Run-time address of the text.  */
  size_t nblocks;
  int prot;        /* Protection that the text needs.  */
  int file;        /* The file that the backings file and store map,  */
  uint64_t offset; /* and where START is in it.  */
  const struct hugetext_index_image *image; /* For the backing store.  */
  bool whole_core;                          /* Cores need all of it.  */

  /* The staging area.  */
  uintptr_t staging;
  bool untouched;  /* As for _dl_hugetext_probe.  */
  int memory_file; /* Behind it, or -1.  */

  bool huge[HUGETEXT_RUN_MAX];      /* The last answer of the kernel.  */
  bool just_read[HUGETEXT_RUN_MAX]; /* Of the backings file and store: a
                                       part of the block had to be
                                       read, or it may be read again.  */
  enum hugetext_outcome outcome[HUGETEXT_RUN_MAX];
};

struct hugetext_backing
{
  enum hugetext_way way;
  bool charged; /* It takes memory that limits count.  */

  /* Why a block is not made that the kernel did not map huge.  */
  enum hugetext_outcome if_small;

  /* How many blocks of RUN, from its first one on, are alike: all to be had,
     and OUTCOME is HUGETEXT_MADE, or none, and it says why.  NULL if there
     is no telling before.  */
  size_t (*select) (const struct hugetext_run *run,
                    enum hugetext_outcome *outcome);

  /* Map RUN's staging area: sets its STAGING, and NBLOCKS to less if there is
     less to map.  Returns HUGETEXT_MADE or what is wrong.  */
  enum hugetext_outcome (*map) (struct hugetext_run *run);

  /* Have at least one page of each block of RUN mapped.  */
  void (*touch) (struct hugetext_run *run);

  /* Do something about blocks of RUN that are not HUGE: the next thing from
     number WAY on that applies, and count WAY up.  False if there is nothing
     more to do.  */
  bool (*retry) (struct hugetext_run *run, unsigned int *way);

  /* Fill block I of RUN, which is huge.  NULL if touching does.  */
  enum hugetext_outcome (*fill) (struct hugetext_run *run, size_t i);

  /* Give blocks [FIRST, LAST) of RUN their final protection.  NULL if they
     have it.  */
  enum hugetext_outcome (*seal) (struct hugetext_run *run, size_t first,
                                 size_t last);
};

/* The rows.  Functions, because every start, with huge text or without, would
   have to relocate the pointers in a table.  */
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
