/* Priming of files: they get cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result for a file.  */
struct primed
{
  char path[PATH_MAX];  /* The canonical path, if there is one.  */
  uint64_t first;       /* File offset of the first block.  */
  size_t blocks;        /* Number of blocks that can be huge.  */
  size_t before, after; /* How many were cached in huge pages, and are.  */
  char problem[320];    /* Why not all blocks are, or "".  */
};

/* Prime the file NAME.  Return whether all of it is in huge pages.  */
extern bool prime_file (const char *name, struct primed *primed);

#endif
