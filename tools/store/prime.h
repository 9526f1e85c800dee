/* Priming of files: they get cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include "util/filelist.h"

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
  bool mapped;          /* Processes map it, so that it stays as it is.  */
  char problem[320];    /* Why not all blocks are, or "".  */
};

/* The result for the files below a folder.  */
struct primed_folder
{
  size_t files;         /* Number of files with a block that can be huge,  */
  size_t blocks;        /* of their blocks,  */
  size_t before, after; /* of those that were huge, and are,  */
  size_t mapped;        /* of files that processes map, which stay small.  */
  const char *problem;  /* Why the folder could not be read, or NULL.  */
};

/* What priming may take without a user who waits for it.  */
struct prime_limits
{
  int64_t end;    /* The time of clock_milliseconds after which no block is
                     read.  */
  uint64_t bytes; /* Bytes that may be read.  */
  bool vain;      /* A block has stayed small: no more is read.  */
};

/* Return a descriptor of the directory NAME, of which nothing has been read;
   -1 if it is none, or root does not trust its filesystem.  */
extern int prime_open_directory (const char *name);

/* Prime the programs and libraries below the directory FD, whose name is NAME,
   on its filesystem, and follow no symbolic link.  Files that have no block
   are none of them.  */
extern void prime_folder (int fd, const char *name, struct primed_folder *sum);

/* Prime the file NAME.  Return whether all of it is in huge pages.  */
extern bool prime_file (const char *name, struct primed *primed);

/* Prime FILES until END, a time of clock_milliseconds, 0 for no limit, with at
   most half of the memory that is left.  What cannot be primed stays as it
   is.  */
extern void prime_list (const struct file_list *files, int64_t end);

/* Prime the program PATH and the libraries that it needs, as far as these are
   the caller's own files, within SECONDS.  */
extern void prime_program (const char *path, int seconds);

#endif
