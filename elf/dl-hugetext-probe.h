/* What the kernel has mapped with huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PROBE_H
#define _DL_HUGETEXT_PROBE_H 1

#include "dl-hugetext-attempt.h"

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping:
   whether the kernel has mapped it with a huge page.  UNTOUCHED says that
   nothing of them was resident before one small page of each was touched.
   Where the kernel tells only a sum, and it is neither all nor nothing, none
   is said to be huge.  Returns how many are.  */
extern size_t _dl_hugetext_probe (struct hugetext_attempt *attempt,
                                  uintptr_t start, size_t nblocks,
                                  bool untouched, bool huge[])
  attribute_hidden;

/* Whether _dl_hugetext_probe can tell of each of several blocks, UNTOUCHED or
   not.  */
extern bool _dl_hugetext_tells_each (struct hugetext_attempt *attempt,
                                     bool untouched) attribute_hidden;

/* Whether nothing of the mapping at START, just made, is resident: it would
   be after mlockall (MCL_FUTURE).  Asked only if _dl_hugetext_probe needs to
   know, otherwise false.  */
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
                                          uintptr_t start, uintptr_t end)
  attribute_hidden;

#endif /* dl-hugetext-probe.h */
