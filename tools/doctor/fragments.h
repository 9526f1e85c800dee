/* Fragmentation of the machine's memory: how many huge pages are free.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include <stddef.h>

struct fragments
{
  size_t free;      /* The number of huge pages that are free as a whole.  */
  long compactions; /* The kernel's compaction runs since the boot.  */
  long failures;    /* The runs that made no huge page.  */
};

/* Return the facts about huge pages of BLOCK bytes in /proc/buddyinfo and
   /proc/vmstat.  Numbers missing there are 0.  */
extern struct fragments fragments_read (size_t block);

#endif
