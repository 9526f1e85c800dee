/* What the parts of ld-hugetext inside the loader share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_INTERNAL_H
#define _DL_HUGETEXT_INTERNAL_H 1

#include <ldsodefs.h>

#include "dl-hugetext.h"

/* Values of glibc.mem.hugetext_backing.  */
enum hugetext_backing
{
  HUGETEXT_AUTO,
  HUGETEXT_FILE,
  HUGETEXT_THP,
  HUGETEXT_HUGETLB,
  HUGETEXT_STORE
};

/* What we keep about an object: only objects with a candidate block have
   one.  A free slot has no MAP.  */
struct hugetext_record
{
  struct link_map *map;
  const char *path;             /* By which it was opened, NULL if the kernel
                                   mapped it.  Owned by the link map.  */
  struct r_file_id id;          /* The file's identity, to check that the
                                   path still leads to it.  */
  ElfW(Addr) low, high;         /* Reserved address range, slack included;
                                   both 0 if nothing was reserved.  */
  size_t blocks;                /* Blocks made, charged to the cap.  */
};

/* The settings, the budget and scratch space.  One mapping of its own,
   made when huge text is switched on, so that the loader's data do not grow
   for those who do not use it.  Guarded by the loader's lock, like the link
   maps.  */
struct hugetext_state
{
  struct hugetext_geometry geo;
  enum hugetext_backing backing;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process.  */
  size_t used;                  /* Blocks made.  */
  int traced;                   /* For the current start or dlopen.  */
  unsigned int failures;        /* Blocks that got no huge page, likewise.  */
  struct hugetext_object object;        /* Scratch.  */
  struct hugetext_ranking ranking;      /* Scratch.  */
  struct hugetext_records *records;     /* Newest first.  */
};

/* The state, NULL if huge text is off in this process.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* The record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
  attribute_hidden;

/* A new record for L, NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
  attribute_hidden;

/* Forget RECORD; its blocks return to the budget.  */
extern void _dl_hugetext_forget (struct hugetext_state *state,
                                 struct hugetext_record *record)
  attribute_hidden;

/* Where the contents of a copy come from: the file if FD is not negative,
   else the memory into which it is mapped.  */
struct hugetext_source
{
  int fd;
};

/* How an attempt to make a block ended.  */
enum hugetext_outcome
{
  HUGETEXT_MADE,
  HUGETEXT_NO_BACKING,          /* Backing not in this release.  */
  HUGETEXT_HOLE_TAKEN,          /* Another mapping lies in a hole.  */
  HUGETEXT_NO_SPACE,            /* No address space or memory to stage.  */
  HUGETEXT_POOL_SHORT,          /* hugetlb pool exhausted.  */
  HUGETEXT_UNREADABLE,          /* Contents could not be read.  */
  HUGETEXT_NOT_HUGE,            /* The kernel gave small pages.  */
  HUGETEXT_THP_NEVER,           /* The administrator switched THP off.  */
  HUGETEXT_PROTECT,             /* Could not be made executable.  */
  HUGETEXT_MOVE,                /* Could not be moved into place.  */
  HUGETEXT_TRACED,              /* A debugger could not write to it.  */
  HUGETEXT_GAVE_UP              /* Too many blocks failed before.  */
};

/* Blocks to one run; the outcomes live on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* Replace the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks of OBJECT from
   run-time address START by copies on huge pages from BACKING (thp or
   hugetlb), each wholly or not at all.  OWNED says that holes are mapped and
   ours.  Sets OUTCOME for each.  */
extern void _dl_hugetext_copy (struct hugetext_state *state,
                               const struct hugetext_object *object,
                               const struct hugetext_source *source,
                               enum hugetext_backing backing, bool owned,
                               uintptr_t start, size_t nblocks,
                               enum hugetext_outcome outcome[])
  attribute_hidden;

/* The process ID of the tracer, 0 if there is none, -1 if unknown.  */
extern int _dl_hugetext_tracer (void) attribute_hidden;

/* True if transparent huge pages are known to be switched off.  */
extern bool _dl_hugetext_thp_never (void) attribute_hidden;

/* Bytes of [START, END) that the kernel has mapped with huge pages, -1 if
   it cannot say (before Linux 6.7).  */
extern long int _dl_hugetext_kernel_huge (uintptr_t start, uintptr_t end)
  attribute_hidden;

/* Counts for one object, or summed up over many.  */
struct hugetext_totals
{
  size_t objects;
  uintptr_t text;               /* Bytes.  */
  size_t wanted;                /* Blocks with any text.  */
  size_t made;
};

/* Reports, each silent unless LD_DEBUG asks for it.  L is the object.  */
extern void _dl_hugetext_report_skipped (const struct link_map *l,
                                         const char *why) attribute_hidden;
extern void _dl_hugetext_report_verdict (const struct link_map *l,
                                         uintptr_t block, uintptr_t text,
                                         enum hugetext_verdict verdict,
                                         const struct hugetext_state *state)
  attribute_hidden;
extern void _dl_hugetext_report_outcome (const struct link_map *l,
                                         uintptr_t block,
                                         enum hugetext_outcome outcome)
  attribute_hidden;
extern void _dl_hugetext_report_object (const struct link_map *l,
                                        const struct hugetext_object *object,
                                        const struct hugetext_totals *totals,
                                        const struct hugetext_state *state)
  attribute_hidden;
extern void _dl_hugetext_report_totals (const struct hugetext_totals *totals,
                                        const struct hugetext_state *state)
  attribute_hidden;

#endif /* dl-hugetext-internal.h */
