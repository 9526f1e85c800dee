/* Questions to the kernel: which parts of a mapping are huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PROBE_H
#define _DL_HUGETEXT_PROBE_H 1

#include "dl-hugetext-attempt.h"

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping:
   whether the kernel has mapped it with a huge page.  UNTOUCHED is what the
   next function has said of it before one small page of each was touched.  If
   all else fails the kernel may be asked to GATHER them.  Returns how many
   are.  */
extern size_t _dl_hugetext_probe (struct hugetext_attempt *attempt,
                                  uintptr_t start, size_t nblocks,
                                  bool untouched, bool gather,
                                  bool huge[]) attribute_hidden;

/* Whether nothing of the mapping at START, just made, is present, so that what
   is after a page was touched tells.  It would be after mlockall (MCL_FUTURE).
   False if it need not be known, or if it cannot be found out.  */
extern bool _dl_hugetext_untouched (struct hugetext_attempt *attempt,
                                    uintptr_t start) attribute_hidden;

/* Whether some page of [START, END), which is mapped from a file, is the
   process's own.  In text, before it is relocated, only breakpoints make it
   so: a debugger's, or the kernel's (uprobes).  HUGETEXT_NOT_ASKED if the
   kernel cannot say.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_attempt *attempt, uintptr_t start,
                          uintptr_t end) attribute_hidden;

/* Bytes of [START, END) that the kernel has mapped with huge pages, -1 if
   it cannot say (before Linux 6.7).  */
extern long int _dl_hugetext_kernel_huge (struct hugetext_attempt *attempt,
                                          uintptr_t start,
                                          uintptr_t end) attribute_hidden;

#endif /* dl-hugetext-probe.h */
