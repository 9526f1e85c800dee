/* The installation of blocks on huge pages: the loader tries the backings in
   turn.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_INSTALL_H
#define _DL_HUGETEXT_INSTALL_H 1

#include "dl-hugetext-index.h"
#include "dl-hugetext-ledger.h"
#include "dl-hugetext-record.h"
#include "dl-hugetext-source.h"

/* Counts of blocks for one object, or sums over many objects.  */
struct hugetext_totals
{
  size_t objects;
  uintptr_t text; /* Bytes.  */
  size_t wanted;  /* Blocks with any text.  */
  size_t made;    /* Of the wanted blocks, those that are huge now,  */
  size_t file;    /* of these, those from the object's own file,  */
  size_t stored;  /* and those from an image in the store.  */
};

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
  union hugetext_index_buffer *image; /* The record of the image, if STORED is
                                         not -1.  */
  int stored;                         /* The image, -1 if there is none.  */
  struct hugetext_charge *charge;
  bool owns_holes;     /* The holes are mapped and belong to the object.  */
  bool file_ruled_out; /* The file has no huge pages for the object.  */
  bool lost;           /* The kernel has lost a part of the object's text.  */
  uintptr_t first;     /* Address of the first block,  */
  uint8_t *fate;       /* and the record's byte for each of NFATES blocks  */
  size_t nfates;       /* from there on.  */
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
   run-time address START huge, each wholly or not at all; charge, count and
   report them.  The blocks need the same protection.  CONGRUENT says that they
   can be pages of the object's file, from OFFSET on.  */
extern void _dl_hugetext_install (struct hugetext_job *job, uintptr_t start,
                                  size_t nblocks, bool congruent,
                                  uint64_t offset) attribute_hidden;

#endif /* dl-hugetext-install.h */
