/* The second reading of text that a start has had cached in small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_REREAD_H
#define _DL_HUGETEXT_REREAD_H 1

#include "dl-hugetext-backing.h"

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* The program OBJECT, which the kernel has mapped, is about to be placed:
   unmap what has been touched of it already, and note whether exec has read it
   from the disk.  */
extern void _dl_hugetext_prepare_program (struct hugetext_attempt *attempt,
                                          const struct hugetext_object *object)
    attribute_hidden;

/* Fault in the blocks of RUN, which are of a file, and note which had to be
   read.  False if that cannot be counted; then nothing is touched.  */
extern bool
_dl_hugetext_touch_counting (struct hugetext_run *run) attribute_hidden;

/* Evict the blocks of RUN that are small because of this start, and read
   them again.  False if there are none.  */
extern bool
_dl_hugetext_read_again (struct hugetext_run *run) attribute_hidden;

#endif

#endif /* dl-hugetext-reread.h */
