/* Synchronize the store: make all wanted images, and remove all other images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_SYNC_H
#define STORE_SYNC_H

#include "index/entry.h"
#include "util/filelist.h"
#include "util/problem.h"
#include "util/wait.h"

#include <stddef.h>

/* A task for the store: its limits, the way to report problems, and its
   results.  */
struct store_work
{
  const char *who; /* The command's name at the beginning of messages on
                      standard error, or NULL.  */
  bool tell;       /* True to print a line for each image that was made or was
                      outdated.  */
  bool brief;      /* True to skip reports about objects without an image,
                      because no user has named the objects.  */
  int64_t end; /* The time (of clock_milliseconds) after which no step begins.
                  The value 0 stands for no time limit.  */
  /* The results.  */
  size_t made, there, removed, problems;
  uint64_t size;  /* The size in bytes of the images that were made.  */
  uint64_t freed; /* The size in bytes of the images that were removed.  */
  bool late;      /* True if the time limit passed before everything was
                     done.  */
  bool full;      /* True if the filesystem had no space for some
                     images.  */
  struct file_list excluded; /* The files without an image because the
                                filesystem had no space for it; the list is
                                empty after the lock of the store has been
                                released.  */
};

/* Report that WHAT has PROBLEM.  If WHAT is NULL, the text of PROBLEM itself
   names its subject.  */
extern void work_say (struct store_work *work, const char *what,
                      const char *problem);

/* Make images of the programs and libraries FILES, and of the libraries that
   FILES need.  Add the programs and libraries to the list of wanted images, as
   users' requests.  If the index cannot be compiled, or the store cannot be
   changed, report the error and return false.  (store_collect and
   store_refresh, too, report an index that cannot be compiled or a store that
   cannot be changed, and return false.)  */
extern bool store_add (struct store_work *work, char **files);

/* Undo store_add for FILES and the libraries that FILES need, and call
   store_collect.  Keep the images that enabled programs, or other objects that
   users have requested, need.  */
extern bool store_remove (struct store_work *work, char **files);

/* Remove images that the loader cannot use, and images of objects that no
   enabled program needs.  */
extern bool store_collect (struct store_work *work);

/* Update all images in the store, and remove images that are not wanted.
   Return false if some of the work has not been done, because of a time limit
   or a problem.  */
extern bool store_refresh (struct store_work *work);

/* Compare each image byte by byte with its object, and check the image's
   record in the index.  Report each image or record that is wrong.  Return
   false if an image or record is wrong.  */
extern bool store_check (struct store_work *work);

/* Return true if ENTRY's settings let the loader use the store.  */
extern bool store_is_wanted (const struct entry *entry);

/* Prime the known objects that ENTRY's programs need or have opened: cache
   their files in huge pages.  Skip objects that a process has mapped.  If
   ENTRY's settings let the loader use images, make images of the known
   objects.  Write the list of wanted images for ENTRY.  Return false if no
   image can be made.  */
extern bool store_fill (const struct entry *entry, struct store_work *work,
                        struct problem *problem);

/* Return true if the list of wanted images contains lines for the entry
   NAME.  */
extern bool store_has_list (const char *name);

/* Call this function when ENTRY, a service, is about to start.  First prime
   the objects of ENTRY: cache their files in huge pages.  Priming may take at
   most SECONDS.  Then renew the service's images if they are outdated or have
   been removed.  This step may also take at most SECONDS.  Only the index of
   the store shows which images have existed.  LOST is true if the store had no
   index.  In this case, the function makes all wanted images, even those that
   have never existed.  If images cannot be made, the function only prints a
   message, which begins with "hugetext guard".  */
extern void store_renew (const struct entry *entry, bool lost, int seconds);

/* The maximum time, in seconds, that store_renew (ENTRY, LOST, SECONDS) takes.
   Each of the two steps of store_renew should end within SECONDS; a step that
   has not ended one second later is killed.  */
#define STORE_RENEW_TIME(seconds) (2 * ((seconds) + 1 + WAIT_FAREWELL))

#endif
