/* How the page cache holds a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILECACHE_H
#define FILECACHE_H

#include <stdint.h>

/* What there is of one block's worth of a file.  */
enum piece
{
  PIECE_HUGE,    /* Cached as a huge page.  */
  PIECE_SMALL,   /* Cached in small pages.  */
  PIECE_PARTLY,  /* Some of it is cached.  */
  PIECE_UNREAD,  /* None of it is.  */
  PIECE_SHORT,   /* The file ends in it.  */
  PIECE_UNKNOWN, /* It cannot be asked.  */
};

/* Look at the piece at OFFSET, a multiple of the size of a block, of the file
   FD.  Who owns the file, or may write to it, learns it without changing
   anything; for all others the kernel says that all is cached, and it takes
   an access, which reads it as starting the program would.  */
extern enum piece filecache_look (int fd, uint64_t offset);

#endif
