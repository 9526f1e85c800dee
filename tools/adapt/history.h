/* The sample history of hugetext adapt.  The history contains the samples of
   earlier rounds, to which each new round adds its samples.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One round of a busy process has too few samples to distinguish lukewarm
   blocks from cold ones; several rounds together have enough.  Each round runs
   in its own process; all these processes share the memory of the history.  */

#ifndef HISTORY_H
#define HISTORY_H

#include "attach/attach.h"
#include "sample/sample.h"

enum
{
  HISTORY_OBJECTS = 1024,
  HISTORY_GRANULES = 1 << 20, /* The maximum number of granules (units of
                                 PROFILE_GRANULE bytes of text) in all objects
                                 together, enough for 64 GiB of text.  */
};

/* The numbers of samples in one file: one number for each granule of
   PROFILE_GRANULE bytes.  */
struct history_object
{
  dev_t device;
  ino_t inode;
  char build_id[sizeof ((struct profile *) NULL)->build_id]; /* The build ID of
                                                                the file when
                                                                it was sampled.
                                                                If the file now
                                                                has another
                                                                build ID, the
                                                                loop ignores
                                                                the samples of
                                                                this
                                                                object.  */
  uint64_t first; /* The link-time address of the first granule.  */
  size_t count;
  size_t at; /* The index in the array WEIGHTS at which this object's granules
                begin.  */
};

struct history
{
  double samples; /* The number of samples in the text of all files; a sample
                     of an earlier round counts less than 1.  */
  double share;   /* The percentage of samples that are in text on huge pages,
                     at the end of the latest round that had enough samples to
                     estimate this percentage (adapt_knows_share).  */
  size_t count, used; /* The number of objects in LIST, and the number of
                         granules in WEIGHTS.  */
  struct history_object list[HISTORY_OBJECTS];
  float weights[HISTORY_GRANULES];
};

/* Set NEXT to the samples of SAMPLING plus the samples of OLD multiplied by
   KEEP.  If NEXT has no space for an object, add the object's samples only to
   the number of all samples.  */
extern void history_add (const struct history *old, double keep,
                         const struct sampling *sampling,
                         struct history *next);

/* Return the heat of each file in HISTORY.  The caller must not free the
   result.  */
extern struct attach_heats history_heats (const struct history *history);

#endif
