/* The fragmentation of the machine's memory: find out how many huge pages are
   free.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include <stddef.h>

struct fragments
{
  size_t free;      /* The number of free huge pages.  */
  long compactions; /* The number of times that the kernel has compacted memory
                       since the machine booted.  */
  long failures;    /* The number of compactions that failed to make a huge
                       page.  */
};

/* Read how many huge pages of BLOCK bytes are free (/proc/buddyinfo), and the
   counts of compactions (/proc/vmstat).  If a file does not contain a number,
   the member is 0.  */
extern struct fragments fragments_read (size_t block);

#endif
