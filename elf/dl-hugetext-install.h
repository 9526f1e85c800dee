/* The installation of blocks on huge pages: the backings are tried in turn.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_INSTALL_H
#define _DL_HUGETEXT_INSTALL_H 1

#include "dl-hugetext-index.h"
#include "dl-hugetext-ledger.h"
#include "dl-hugetext-record.h"
#include "dl-hugetext-source.h"

/* Counts for one object, or summed up over many.  */
struct hugetext_totals
{
  size_t objects;
  uintptr_t text; /* Bytes.  */
  size_t wanted;  /* Blocks with any text.  */
  size_t made;    /* Of these, blocks now made,  */
  size_t file;    /* and of these, with the file itself,  */
  size_t stored;  /* with the store.  */
};

/* An object on its way.  */
struct hugetext_job
{
  struct hugetext_attempt *attempt;
  const struct hugetext_settings *set;
  struct hugetext_ledger *ledger;

  const struct link_map *l;
  const struct hugetext_object *object;
  const struct hugetext_file_name *file;
  struct hugetext_heat heat;
  bool cold;      /* These blocks are not worth a copy.  */
  bool opened;    /* SOURCE is, as far as it can be,  */
  bool looked_up; /* and STORED.  */
  int source;
  union hugetext_index_buffer *image; /* Its record, if STORED is.  */
  int stored;                         /* The image, -1 if there is none.  */
  struct hugetext_charge *charge;
  bool owns_holes;     /* They are mapped, and the object's.  */
  bool file_ruled_out; /* Its own pages will not do.  */
  bool lost;           /* A part of its text is gone.  */
  uintptr_t first;     /* Its first block,  */
  uint8_t *fate;       /* and what becomes of the NFATES from there  */
  size_t nfates;       /* on, as far as it is recorded.  */
  struct hugetext_totals totals;
};

/* Record FATE of the block at START of JOB's object.  */
static inline void
_dl_hugetext_note_fate (const struct hugetext_job *job, uintptr_t start,
                        unsigned int fate)
{
  size_t i = (start - job->first) / job->set->geo.block;
  if (i < job->nfates)
    job->fate[i] = fate;
}

/* Make the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks of JOB's object from
   run-time address START, which need the same protection, each wholly or not
   at all; charge, count and report them.  Those that have a place in the file
   have successive ones, from OFFSET on, and CONGRUENT says so.  */
extern void _dl_hugetext_install (struct hugetext_job *job, uintptr_t start,
                                  size_t nblocks, bool congruent,
                                  uint64_t offset) attribute_hidden;

#endif /* dl-hugetext-install.h */
