/* Questions to the kernel: which parts of a mapping are huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PROBE_H
#define _DL_HUGETEXT_PROBE_H 1

#include "dl-hugetext-attempt.h"

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping,
   to whether the kernel has mapped the block with a huge page.  UNTOUCHED is
   the answer of _dl_hugetext_untouched before one small page of each block was
   touched.  If no other answer can be had, the kernel may be asked to GATHER
   the blocks.  Return the number of huge blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_attempt *attempt,
                                  uintptr_t start, size_t nblocks,
                                  bool untouched, bool gather,
                                  bool huge[]) attribute_hidden;

/* Whether no page of the mapping at START, just made, is present, so that the
   pages present after a touch tell whether a block is huge.  After mlockall
   (MCL_FUTURE) all pages are present.  False if the answer is not needed, or
   cannot be had.  */
extern bool _dl_hugetext_untouched (struct hugetext_attempt *attempt,
                                    uintptr_t start) attribute_hidden;

/* Whether a page of [START, END), which is mapped from a file, belongs to the
   process alone.  In text that is not yet relocated only breakpoints cause
   that: a debugger's, or the kernel's (uprobes).  HUGETEXT_NOT_ASKED if the
   kernel cannot say.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_attempt *attempt, uintptr_t start,
                          uintptr_t end) attribute_hidden;

/* Return the bytes of [START, END) that the kernel has mapped with huge pages,
   -1 if the kernel cannot say (before Linux 6.7).  */
extern long int _dl_hugetext_kernel_huge (struct hugetext_attempt *attempt,
                                          uintptr_t start,
                                          uintptr_t end) attribute_hidden;

#endif /* dl-hugetext-probe.h */
