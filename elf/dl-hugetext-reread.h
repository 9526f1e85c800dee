/* The second reading of text that the kernel has cached in small pages because
   of this start.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_REREAD_H
#define _DL_HUGETEXT_REREAD_H 1

#include "dl-hugetext-backing.h"

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Prepare to place the program OBJECT, which the kernel has mapped: unmap its
   pages that have been touched, and note whether exec has read it from the
   disk.  */
extern void _dl_hugetext_prepare_program (struct hugetext_attempt *attempt,
                                          const struct hugetext_object *object)
    attribute_hidden;

/* Fault the blocks of RUN, which are of a file, in and note the blocks that
   had to be read.  False if the kernel cannot count reads; then nothing is
   touched.  */
extern bool
_dl_hugetext_touch_counting (struct hugetext_run *run) attribute_hidden;

/* Evict the blocks of RUN that are small because of this start, and read them
   again.  False if there are no such blocks.  */
extern bool
_dl_hugetext_read_again (struct hugetext_run *run) attribute_hidden;

#endif

#endif /* dl-hugetext-reread.h */
