/* Fragmentation of the machine's memory: how many huge pages are free.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include <stddef.h>

struct fragments
{
  size_t free;      /* Huge pages that the free memory has in one piece.  */
  long compactions; /* Runs of the kernel's compaction since the boot,  */
  long failures;    /* and those of them that made no huge page.  */
};

/* Return what the kernel says of huge pages of BLOCK bytes: /proc/buddyinfo
   and /proc/vmstat.  Numbers that it does not say are 0.  */
extern struct fragments fragments_read (size_t block);

#endif
