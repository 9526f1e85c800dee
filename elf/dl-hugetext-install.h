/* The installation of blocks on huge pages: the loader tries the backings in
   turn.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_INSTALL_H
#define _DL_HUGETEXT_INSTALL_H 1

#include "dl-hugetext-index.h"
#include "dl-hugetext-ledger.h"
#include "dl-hugetext-record.h"
#include "dl-hugetext-state.h"

/* The work on one object, which STATE describes, while its blocks are
   made.  */
struct hugetext_job
{
  struct hugetext_state *state;
  struct hugetext_record *record;
  struct hugetext_heat heat;
  bool opened;    /* SOURCE has been opened, if it can be,  */
  bool looked_up; /* and STORED has been looked up.  */
  int source;     /* The object's file, -1 if it is not open.  */
  int stored;     /* The image, -1 if there is none; STATE has its record.  */
};

/* A group: neighbouring blocks of an object that are treated alike, at most
   HUGETEXT_RUN_MAX.  */
struct hugetext_group
{
  enum hugetext_verdict verdict;
  uintptr_t start; /* Run-time address.  */
  size_t nblocks;
  int prot;
  bool header; /* The group is one block, which begins with the ELF header.  */
  bool cold;   /* The blocks are not worth a copy.  */
  bool congruent;  /* The blocks can be pages of the object's file,  */
  uint64_t offset; /* from this offset on.  */
};

/* Make the blocks of GROUP of JOB's object huge, each wholly or not at all;
   charge and record them.  */
extern void
_dl_hugetext_install (struct hugetext_job *job,
                      const struct hugetext_group *group) attribute_hidden;

/* The lines of LD_DEBUG=files; without it, the functions print nothing.  */

static inline bool
_dl_hugetext_debug_files (void)
{
  return __glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_FILES) != 0);
}

/* Report that object L is left alone because of WHY.  */
extern void _dl_hugetext_report_skipped (const struct link_map *l,
                                         const char *why) attribute_hidden;

/* Report the blocks of JOB's object, one by one and in all.  */
extern void
_dl_hugetext_report_object (const struct hugetext_job *job) attribute_hidden;

#endif /* dl-hugetext-install.h */
