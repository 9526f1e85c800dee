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
  bool mapped;          /* Processes map the file, so the command does not
                           change its cached pages.  */
  struct problem problem; /* The reason why not all blocks are huge.  */
};

/* The result for the files below a directory.  */
struct primed_folder
{
  size_t files;         /* The number of files with a block that can be
                           huge.  */
  size_t blocks;        /* The number of blocks that can be huge.  */
  size_t before, after; /* The numbers of blocks that were, and are, huge.  */
  size_t mapped;        /* The number of files that processes map, which stay
                           small.  */
  struct problem problem; /* The reason why the directory could not be
                             read.  */
};

/* The limits of priming when no user waits for it.  */
struct prime_limits
{
  int64_t end;    /* The time of clock_milliseconds after which no block is
                     read.  */
  uint64_t bytes; /* The number of bytes that may still be read.  */
  bool own;       /* Only the caller's files are primed.  */
  bool vain;      /* A block has stayed small, so no further blocks are
                     read.  */
};

/* Open the directory NAME without reading it.  Return -1 if it is not a
   directory, or if root does not trust its filesystem.  */
extern int prime_open_directory (const char *name);

/* Prime the programs and libraries below the directory FD, called NAME, on its
   filesystem, without following symbolic links.  Files without a block do not
   count.  */
extern void prime_folder (int fd, const char *name, struct primed_folder *sum);

/* Prime the file NAME.  Return whether all of its blocks are on huge
   pages.  */
extern bool prime_file (const char *name, struct primed *primed);

/* Prime FILES until END, a time of clock_milliseconds (0 for no limit), with
   at most half of the machine's free memory.  Files that cannot be primed do
   not change.  */
extern void prime_list (const struct file_list *files, int64_t end);

/* Within SECONDS, prime the program PATH and the libraries that it needs, but
   only files that the caller owns.  */
extern void prime_program (const char *path, int seconds);

#endif
