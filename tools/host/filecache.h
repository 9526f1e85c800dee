/* The page cache: which pages of a file it holds, and how large they are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILECACHE_H
#define FILECACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pages of one block's worth of a file.  */
enum piece
{
  PIECE_HUGE,    /* Cached as a huge page.  */
  PIECE_SMALL,   /* Cached in small pages, but for gaps where the loader does
                    not touch it.  */
  PIECE_PARTLY,  /* Some of it is cached.  */
  PIECE_UNREAD,  /* None of it is.  */
  PIECE_SHORT,   /* The file ends in it.  */
  PIECE_UNKNOWN, /* It cannot be asked.  */
};

struct filecache_piece
{
  enum piece state;
  /* Small pages in the cache cannot be dropped: */
  bool others; /* another process has some of it mapped; */
  bool dirty;  /* some of it has to be written first.  */
};

/* Look at the piece at OFFSET, a multiple of the size of a block, of the file
   FD.  Who owns the file, or may write to it, learns it without changing
   anything; for all others the kernel says that all is cached, and it takes an
   access, which reads it as starting the program would.  */
extern struct filecache_piece filecache_look (int fd, uint64_t offset);

/* Whether the block at OFFSET of FD, which is not PIECE_SHORT, is cached as a
   whole, as far as we are told.  Quicker than filecache_look.  */
extern bool filecache_is_whole (int fd, uint64_t offset);

/* Note which pages of FD are cached, for filecache_forget.  NULL if that is
   not known.  */
extern unsigned char *filecache_note (int fd, size_t *pages);

/* Drop what has been cached of FD since BEFORE, of PAGES, was noted: by our
   reading its headers, say.  BEFORE is freed.  */
extern void filecache_forget (int fd, unsigned char *before, size_t pages);

/* Whether the kernel gathers pages of FD that are cached in small ones, as it
   says now: nothing is changed.  */
extern bool filecache_gathers (int fd);

/* Have what was written to FD on its disk, so that its pages may be gathered:
   elf/dl-hugetext-file.c says why.  */
extern bool filecache_settle (int fd);

/* Drop the block at OFFSET of FD, which is not PIECE_SHORT, from the cache as
   far as no process has it mapped, and read it as the loader does, or have
   what is there gathered.  Returns what the kernel has made of it: PIECE_HUGE,
   PIECE_SMALL or PIECE_UNKNOWN.  What has to be written stays unless it is
   gathered: fsync comes first.  */
extern enum piece filecache_fill (int fd, uint64_t offset);

#endif
