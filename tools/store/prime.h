/* Prime files: have them cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* How the blocks of a file are cached.  */
struct prime_counts
{
  size_t huge, small, unread; /* "small" also has what is cached in part.  */
};

/* The result for a file, or what it would be.  */
struct primed
{
  char path[PATH_MAX]; /* Canonical, if it has such a name.  */
  size_t blocks;       /* Blocks that can be huge.  */
  struct prime_counts before, after;
  bool read;         /* Blocks that were not huge are read again.  */
  bool useless;      /* Its text could not be on its own huge pages.  */
  bool done;         /* All of it is cached in huge pages, or would be.  */
  char problem[320]; /* Why it is not, or "".  */
};

/* Prime the file NAME, or if DRY_RUN find out what would be done.  */
extern void prime_file (const char *name, bool dry_run, struct primed *primed);

#endif
