/* Priming: make the kernel cache files in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include "object/reason.h"
#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The result of priming a file.  */
struct primed
{
  char path[PATH_MAX];    /* The path with symbolic links resolved, or "".  */
  uint64_t first;         /* The file offset of the first block.  */
  size_t blocks;          /* The number of blocks that can be huge.  */
  size_t before, after;   /* The numbers of blocks that were cached as huge
                             pages before priming, and after priming.  */
  bool mapped;            /* True if other processes have the file mapped.  If
                             other processes have the file mapped, the command
                             does not evict the file's cached pages.  */
  struct problem problem; /* The reason why some blocks are not huge.  */
};

/* The result of priming all files below a directory.  */
struct primed_directory
{
  size_t files;           /* The number of files with at least one block that
                             can be huge.  */
  size_t blocks;          /* The number of blocks that can be huge.  */
  size_t before, after;   /* The numbers of blocks that were huge before
                             priming and after priming.  */
  size_t mapped;          /* The number of files that stay on small pages
                             because other processes have the files mapped.  */
  struct problem problem; /* The reason why the directory could not be
                             read.  */
};

/* The limits for priming (caching files in huge pages) that no user has asked
   for, for example at the start of a service.  */
struct prime_limits
{
  int64_t end;    /* The time (of clock_milliseconds) after which the command
                     reads no further block.  */
  uint64_t bytes; /* The number of further bytes that may be read.  */
  bool own;       /* True to prime only files that the caller owns.  */
  dev_t device;   /* The device of the filesystem that HUGE and SMALL are
                     about: the filesystem of the last file.  */
  size_t huge;    /* The number of blocks that the page cache holds as huge
                     pages.  */
  size_t small;   /* The number of blocks that stayed small although the
                     command has read the blocks again.  */
};

/* Open the directory NAME without reading it.  Return -1 if NAME is not a
   directory, or if root does not trust its filesystem.  */
extern int prime_open_directory (const char *name);

/* Prime the programs and libraries below the directory FD, whose path is NAME:
   cache them in huge pages.  Do not enter other filesystems, and do not follow
   symbolic links.  Do not count files without blocks.  */
extern void prime_directory (int fd, const char *name,
                             struct primed_directory *sum);

/* Prime the file NAME: cache it in huge pages.  Return whether all blocks of
   the file are on huge pages afterwards.  */
extern bool prime_file (const char *name, struct primed *primed);

/* Find out whether prime_file would accept FILE's path and prime FILE, and
   whether a program with SETTINGS would gain from primed pages.  A process may
   have chosen the path.  MAPPED is true if a process has mapped the file.  If
   the answer is REASON_REFUSES, PROBLEM says why.  */
extern enum reason_answer prime_judge (const struct reason_file *file,
                                       bool mapped,
                                       const struct settings *settings,
                                       struct problem *problem);

/* Prime FILES: cache them in huge pages.  Stop at END, a time of
   clock_milliseconds; 0 means no time limit.  Use at most half of the
   machine's free memory.  Skip files that cannot be primed.  */
extern void prime_list (const struct file_list *files, int64_t end);

/* Prime the program PATH and, if NEEDED is true, the libraries that PATH
   needs: cache them in huge pages, for at most SECONDS.  Skip files that the
   caller does not own.  If PATH belongs to another user, do nothing.  */
extern void prime_program (const char *path, bool needed, int seconds);

#endif
