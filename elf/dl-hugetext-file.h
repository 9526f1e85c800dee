/* The page cache as a source of huge pages: the loader has files cached in
   them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_FILE_H
#define _DL_HUGETEXT_FILE_H 1

#include "dl-hugetext-backing.h"

/* Have the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks from OFFSET of the file
   FD cached in huge pages as far as possible, reading what is not cached.
   Returns how many are.  */
extern size_t _dl_hugetext_cache_huge (struct hugetext_attempt *attempt,
                                       int fd, uint64_t offset,
                                       size_t nblocks) attribute_hidden;

/* Functions that the backings file and store share (see struct
   hugetext_backing).  Map the file of RUN, which has SIZE bytes, without the
   blocks that reach beyond its end;  */
extern enum hugetext_outcome
_dl_hugetext_map_file (struct hugetext_run *run,
                       uint64_t size) attribute_hidden;
/* touch all pages of the blocks of RUN, and note the blocks that had to be
   read;  */
extern void
_dl_hugetext_touch_file (struct hugetext_run *run) attribute_hidden;
/* or touch one page of each block, false if the kernel cannot (before Linux
   5.14);  */
extern bool
_dl_hugetext_touch_once (const struct hugetext_run *run) attribute_hidden;
/* retry: first evict the blocks that had to be read and read them again, then
   ask the kernel to gather pages.  */
extern bool _dl_hugetext_retry_file (struct hugetext_run *run,
                                     unsigned int *way) attribute_hidden;

#endif /* dl-hugetext-file.h */
