/* The history of a loop: the samples of its last rounds, which count beside
   those of a new round.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A round of a busy process has too few samples to tell its lukewarm blocks
   from cold ones; several rounds together have enough.  The rounds of a loop
   are processes of their own, which share the history's memory.  */

#ifndef HISTORY_H
#define HISTORY_H

#include "attach/attach.h"
#include "sample/sample.h"

enum
{
  HISTORY_OBJECTS = 1024,
  HISTORY_GRANULES = 1 << 20, /* Of all objects: 64 GiB of text.  */
};

/* The samples of a file, by granules of PROFILE_GRANULE bytes.  */
struct history_object
{
  dev_t device;
  ino_t inode;
  char build_id[sizeof ((struct profile *) NULL)->build_id]; /* The samples of
      another build in the same file do not count.  */
  uint64_t first; /* The link-time address of the first granule.  */
  size_t count;
  size_t at; /* The index of the first granule in WEIGHTS.  */
};

struct history
{
  double samples; /* The samples in text of all files, but less of those that
                     are old.  */
  double share;   /* The share, per cent, of a round's samples that were on
                     huge pages when the round ended: of the last round for
                     which adapt_knows_share is true.  */
  size_t count, used; /* The number of objects, and of granules.  */
  struct history_object list[HISTORY_OBJECTS];
  float weights[HISTORY_GRANULES];
};

/* Set NEXT to the samples of SAMPLING and the share KEEP of those of OLD.  Of
   objects for which there is no room, only the number of samples counts.  */
extern void history_add (const struct history *old, double keep,
                         const struct sampling *sampling,
                         struct history *next);

/* Return the heats by HISTORY; the caller never frees them.  */
extern struct attach_heats history_heats (const struct history *history);

#endif
