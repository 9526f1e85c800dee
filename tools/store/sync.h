/* The synchronisation of the store: makes wanted images and removes others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_SYNC_H
#define STORE_SYNC_H

#include "index/entry.h"
#include "util/problem.h"

#include <stddef.h>

/* A task on the store: its limits, its messages, and its results.  */
struct store_work
{
  const char *who; /* The command, for messages on standard error, or NULL if
                      there is none.  */
  bool tell;   /* Print a line for each image that is made or was outdated.  */
  bool brief;  /* Do not report why objects that no user has named have no
                  image.  */
  int64_t end; /* The time of clock_milliseconds after which no step
                  begins; 0 for no limit.  */
  /* The results.  */
  size_t made, there, removed, problems;
  uint64_t size;  /* The bytes of images made.  */
  uint64_t freed; /* The bytes of images removed.  */
  bool late;      /* The time ran out before everything was done.  */
  bool full;      /* The filesystem had no space for more images.  */
};

/* Report that WHAT has PROBLEM.  */
extern void work_say (struct store_work *work, const char *what,
                      const char *problem);

/* Make images of the programs and libraries FILES and of the libraries that
   they need, and record them as users' requests. store_add, store_collect and
   store_refresh report an error and return false if the index cannot be
   compiled, or the store cannot be changed.  */
extern bool store_add (struct store_work *work, char **files);

/* Remove images that the loader cannot use, and images of objects that no
   enabled program needs.  */
extern bool store_collect (struct store_work *work);

/* Update all images in the store, and remove unused ones.  False also if
   something remains to be done.  */
extern bool store_refresh (struct store_work *work);

/* Compare all images with their objects, byte by byte, and with the index.
   Report wrong images, and return false if there are any.  */
extern bool store_check (struct store_work *work);

/* Whether ENTRY's settings let the loader use the store.  */
extern bool store_is_wanted (const struct entry *entry);

/* Prime the objects that ENTRY's programs need or have opened, as far as
   known and not mapped by a process; make images of them, if ENTRY's settings
   let the loader use images; and write ENTRY's list.  Return false if no
   image can be made.  */
extern bool store_fill (const struct entry *entry, struct store_work *work,
                        struct problem *problem);

/* Whether the list of wanted images has lines for the entry NAME.  */
extern bool store_has_list (const char *name);

/* Prime the objects of ENTRY, a service that is about to start, within
   SECONDS.  Then, if the store exists and is outdated, renew the service's
   images within as many seconds.  Failures have no effect.  */
extern void store_renew (const struct entry *entry, int seconds);

#endif
