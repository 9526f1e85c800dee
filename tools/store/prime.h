/* Priming of files: caches them in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include "util/filelist.h"
#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result for a file.  */
struct primed
{
  char path[PATH_MAX];  /* The canonical path, or "".  */
  uint64_t first;       /* The file offset of the first block.  */
  size_t blocks;        /* The number of blocks that can be huge.  */
  size_t before, after; /* The numbers of blocks that were, and are, cached as
                           huge pages.  */
  bool mapped;          /* Processes map the file, so it is not changed.  */
  struct problem problem; /* Why not all blocks are huge.  */
};

/* The result for the files below a directory.  */
struct primed_folder
{
  size_t files;         /* The number of files with a block that can be
                           huge.  */
  size_t blocks;        /* The number of these blocks.  */
  size_t before, after; /* The numbers of blocks that were, and are, huge.  */
  size_t mapped;        /* The number of files that processes map, which stay
                           small.  */
  struct problem problem; /* Why the directory could not be read.  */
};

/* The limits of priming when no user waits for it.  */
struct prime_limits
{
  int64_t end;    /* The time of clock_milliseconds after which no block is
                     read.  */
  uint64_t bytes; /* The most bytes that may be read.  */
  bool own;       /* Only the caller's files are primed.  */
  bool vain;      /* A block has stayed small: no more is read.  */
};

/* Open the directory NAME without reading it.  Return -1 if it is not a
   directory, or if root does not trust its filesystem.  */
extern int prime_open_directory (const char *name);

/* Prime the programs and libraries below the directory FD, called NAME, on its
   filesystem, without following symbolic links.  Files without a block do not
   count.  */
extern void prime_folder (int fd, const char *name, struct primed_folder *sum);

/* Prime the file NAME.  Return whether all of it is in huge pages.  */
extern bool prime_file (const char *name, struct primed *primed);

/* Prime FILES until END, a time of clock_milliseconds (0 for no limit), with
   at most half of the memory that is left.  Files that cannot be primed do not
   change.  */
extern void prime_list (const struct file_list *files, int64_t end);

/* Within SECONDS, prime the program PATH and the libraries that it needs, as
   far as they are the caller's own files.  */
extern void prime_program (const char *path, int seconds);

#endif
