/* Priming of files: they get cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The states of a file's blocks in the page cache.  */
struct prime_counts
{
  size_t huge, small, unread; /* SMALL includes blocks that are cached in
                                 part.  */
};

/* The result for a file, or the expected result.  */
struct primed
{
  char path[PATH_MAX]; /* The canonical path, if there is one.  */
  size_t blocks;       /* Number of blocks that can be huge.  */
  struct prime_counts before, after;
  bool read;         /* Blocks that were not huge have been read again.  */
  bool useless;      /* The file's text cannot be on the file's own huge
                        pages.  */
  bool done;         /* All blocks are cached in huge pages, or would be.  */
  char problem[320]; /* Why not all blocks are, or "".  */
};

/* Prime the file NAME; with DRY_RUN, only find out what would be done.  */
extern void prime_file (const char *name, bool dry_run, struct primed *primed);

#endif
