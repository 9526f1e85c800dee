/* The synchronisation of the store: wanted images are made, others removed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_SYNC_H
#define STORE_SYNC_H

#include "index/entry.h"

#include <stddef.h>

/* The work on the store: its limits, who hears of it, and its results.  */
struct store_work
{
  const char *who; /* The command, for messages on standard error; NULL for
                      none.  */
  bool tell;       /* Print a line for each image that is made or removed.  */
  bool brief;      /* Do not say why objects that no user has named have no
                      image.  */
  int64_t end;     /* The time of clock_milliseconds after which nothing is
                      begun; 0 for no limit.  */
  /* The results.  */
  size_t made, there, removed, problems;
  uint64_t size;  /* Bytes of images that were made,  */
  uint64_t freed; /* and of images that were removed.  */
  bool late;      /* The time was over before the end.  */
  bool full;      /* There was no room for more images.  */
};

/* Report that WHAT has PROBLEM.  */
extern void work_say (struct store_work *work, const char *what,
                      const char *problem);

/* Make images of the programs and libraries FILES and of the libraries that
   they need, and note that a user has asked for them.  False if the index
   cannot be compiled, or the store cannot be changed, which is reported.  The
   next two functions do so, too.  */
extern bool store_add (struct store_work *work, char **files);

/* Remove images that the loader cannot use, and images of objects that nothing
   which is enabled needs.  */
extern bool store_collect (struct store_work *work);

/* Bring all images in the store up to date, and remove those without use.
   False also if not all is done.  */
extern bool store_refresh (struct store_work *work);

/* Compare all images with their objects, byte by byte, and with the index.
   False if any is wrong, which is reported.  */
extern bool store_check (struct store_work *work);

/* Whether ENTRY's settings let the loader use the store.  */
extern bool store_is_wanted (const struct entry *entry);

/* Prime the objects that ENTRY's programs need and have opened, as far as can
   be told and nobody maps them, make images of them, and write ENTRY's list,
   as far as ENTRY's settings let the loader use these.  Return NULL, or why no
   image can be made.  */
extern const char *store_fill (const struct entry *entry,
                               struct store_work *work);

/* Whether the store has a list for the entry NAME.  */
extern bool store_has_list (const char *name);

/* Prime the objects of ENTRY, a service that is about to start, within
   SECONDS, and then renew its images within as many, if there is a store and
   it is out of date.  Failures have no effect.  */
extern void store_renew (const struct entry *entry, int seconds);

#endif
