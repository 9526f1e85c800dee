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

/* The work on one object while its blocks are made.  */
struct hugetext_job
{
  struct hugetext_attempt *attempt;
  const struct hugetext_settings *set;
  struct hugetext_ledger *ledger;

  const struct link_map *l;
  const struct hugetext_object *object;
  const struct hugetext_file_name *file;
  struct hugetext_heat heat;
  bool cold;      /* The blocks at hand are not worth a copy.  */
  bool opened;    /* SOURCE has been opened, if it can be,  */
  bool looked_up; /* and STORED has been looked up.  */
  int source;
  struct hugetext_index_image *image; /* The record of the image, if STORED is
                                         not -1.  */
  int stored;                         /* The image, -1 if there is none.  */
  struct hugetext_charge *charge;
  bool owns_holes;     /* The holes are mapped and belong to the object.  */
  bool file_ruled_out; /* The file has no huge pages for the object.  */
  bool lost;           /* The kernel has lost a part of the object's text.  */
  struct hugetext_fates fates;
};

/* Record FATE of the block at START of JOB's object.  */
static inline void
_dl_hugetext_note_fate (const struct hugetext_job *job, uintptr_t start,
                        unsigned int fate)
{
  const struct hugetext_fates *fates = &job->fates;
  size_t i = (start - fates->start) / job->set->geo.block;
  if (i < fates->n)
    fates->fate[i] = fate;
}

/* Make the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks of JOB's object from
   run-time address START huge, each wholly or not at all; charge, count and
   report them.  The blocks need the same protection.  CONGRUENT says that they
   can be pages of the object's file, from OFFSET on.  */
extern void _dl_hugetext_install (struct hugetext_job *job, uintptr_t start,
                                  size_t nblocks, bool congruent,
                                  uint64_t offset) attribute_hidden;

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
