/* The page cache: which pages of a file it holds, and how large they are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILECACHE_H
#define FILECACHE_H

#include "dl-hugetext-cached.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state in the page cache of a piece: the part of a file that fills one
   block.  */
enum piece
{
  PIECE_HUGE,    /* The piece is cached as a huge page.  */
  PIECE_SMALL,   /* The piece is cached as small pages, except perhaps pages
                    that the loader does not touch.  */
  PIECE_PARTLY,  /* A part of the piece is cached.  */
  PIECE_UNREAD,  /* No page of the piece is cached.  */
  PIECE_SHORT,   /* The file ends in the piece.  */
  PIECE_UNKNOWN, /* The kernel does not tell.  */
};

struct filecache_piece
{
  enum piece state;
  /* Reasons why small pages in the cache cannot be dropped:  */
  bool others; /* Another process maps a part of the piece.  */
  bool dirty;  /* The kernel must first write a part to the disk.  */
};

/* Find the state of the piece at OFFSET, a multiple of the block size, of the
   file FD.  For a user who owns the file, or may write to it, this changes
   nothing.  For other users the kernel claims that everything is cached.  Only
   an access then tells the state, and reads the file as a start of the program
   would.  */
extern struct filecache_piece filecache_look (int fd, uint64_t offset);

/* Return the next step to cache the piece at OFFSET of FD as a huge page.
   RENEW says that the piece's small pages may be dropped, whoever has read
   them.  */
extern enum hugetext_cache_step filecache_step (int fd, uint64_t offset,
                                                bool renew);

/* Whether the block at OFFSET of FD, which is not PIECE_SHORT, is cached as a
   whole, as far as the kernel tells.  Faster than filecache_look.  */
extern bool filecache_is_whole (int fd, uint64_t offset);

/* Whether all of the COUNT blocks of FD from OFFSET on, none of which is
   PIECE_SHORT, are cached as huge pages.  Faster than filecache_look, and
   reads nothing from the disk as far as the kernel tells what is cached.  */
extern bool filecache_is_huge (int fd, uint64_t offset, size_t count);

/* Whether the kernel would collapse small pages of FD.  The function only asks
   and changes nothing.  */
extern bool filecache_collapses (int fd);

/* Make the kernel write the changes of FD to its disk, so that the kernel may
   collapse FD's pages; elf/optional/dl-hugetext-cache.c explains why.  */
extern bool filecache_settle (int fd);

/* Make the kernel cache the block at OFFSET of FD, which is not PIECE_SHORT,
   on a huge page.  Drop it from the cache, unless a process maps it, and read
   it again as the loader does, or collapse its pages.  Try at most TRIES
   times, with pauses of 10 ms.  Return the result: PIECE_HUGE, PIECE_SMALL or
   PIECE_UNKNOWN.  Changed pages stay unless they are collapsed: call fsync
   first.  */
/* The number of tries if the user has asked for huge pages.  */
#define FILECACHE_TRIES 5
extern enum piece filecache_fill (int fd, uint64_t offset, int tries);

#endif
