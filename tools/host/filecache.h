/* The page cache: functions that find out which pages of a file are cached and
   how large these pages are, and functions that make the kernel cache a file
   in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILECACHE_H
#define FILECACHE_H

#include "dl-hugetext-cached.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ways in which a piece of a file can be cached.  A piece is the range of
   a file that fills one block of address space.  */
enum piece
{
  PIECE_HUGE,    /* The piece is cached as a huge page.  */
  PIECE_SMALL,   /* The piece is cached in small pages.  The loader touches
                    only three pages of a piece, so other pages of the piece
                    may not be cached.  */
  PIECE_PARTLY,  /* Only a part of the piece (a block-sized range of the file)
                    is cached.  */
  PIECE_UNREAD,  /* No page of the piece is cached.  */
  PIECE_SHORT,   /* The file ends within the piece.  */
  PIECE_UNKNOWN, /* The kernel does not report whether the piece is cached.  */
};

struct filecache_piece
{
  enum piece state;
  /* The next two members say why the kernel cannot evict the small pages of
     this block-sized range of the file.  */
  bool others; /* Another process has mapped a part of this range.  */
  bool dirty;  /* The kernel must write a part of this range to the disk before
                  it can evict the part.  */
};

/* Find out the state of the piece at OFFSET of the file FD.  OFFSET is a
   multiple of the block size.  If the user owns the file or may write to it,
   this function changes nothing.  If a user neither owns the file nor may
   write to it, mincore reports every page as cached, whether this is true or
   not.  Therefore, if the user neither owns the file nor may write to it, this
   function maps the piece, reads a byte of the mapping, and then checks
   whether the kernel has mapped a huge page.  If the piece is not cached, the
   kernel then reads it from the disk, as it does when the program starts.  */
extern struct filecache_piece filecache_look (int fd, uint64_t offset);

/* Return the next step towards caching the piece at OFFSET of FD as a huge
   page.  RENEW is true if the small pages of the piece may be evicted, no
   matter for which process the kernel has read them.  */
extern enum hugetext_cache_step filecache_step (int fd, uint64_t offset,
                                                bool renew);

/* Return true if the piece at OFFSET of FD is completely cached, according to
   the kernel.  The state of the piece must not be PIECE_SHORT.  This
   function is faster than filecache_look.  */
extern bool filecache_is_whole (int fd, uint64_t offset);

/* Return true if the COUNT pieces of FD from OFFSET on are all cached as huge
   pages.  No piece may have the state PIECE_SHORT.  This function is faster
   than filecache_look.  If the kernel tells this user what is cached, the
   function reads nothing from the disk.  */
extern bool filecache_is_huge (int fd, uint64_t offset, size_t count);

/* Return true if the kernel would collapse small pages of FD.  This function
   changes nothing.  */
extern bool filecache_collapses (int fd);

/* Make the kernel write changed pages of FD to the disk.  While the file FD
   has dirty pages, the kernel may refuse to collapse pages of the file
   (elf/optional/dl-hugetext-cache.c explains why).  */
extern bool filecache_settle (int fd);

/* Make the kernel cache the block-sized range at OFFSET of the file FD (the
   piece) as a huge page.  The piece must not be PIECE_SHORT.  Evict the piece
   and read it again, touching the pages that the loader would touch.  The
   kernel does not evict pages that a process has mapped.  If the piece is
   still cached as small pages afterwards, collapse these pages.  Try at most
   TRIES times, with pauses of 10 ms.  Return PIECE_HUGE, PIECE_SMALL or
   PIECE_UNKNOWN.  The kernel does not evict pages that must first be written
   to the disk, so call fsync before this function.  */
/* The number of tries if the user has asked for huge pages explicitly.  */
#define FILECACHE_TRIES 5
extern enum piece filecache_fill (int fd, uint64_t offset, int tries);

#endif
