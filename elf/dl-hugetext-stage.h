/* The staging area: a mapping in which the loader prepares blocks beside the
   text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_STAGE_H
#define _DL_HUGETEXT_STAGE_H 1

#include "dl-hugetext-backing.h"

/* Map and touch RUN with BACKING.  Set HUGE and OUTCOME of each block:
   HUGETEXT_MADE only where the kernel says that it has mapped the block huge.
   Return whether the staging area is mapped; if not, all outcomes say why.  */
extern bool
_dl_hugetext_stage (struct hugetext_run *run,
                    const struct hugetext_backing *backing) attribute_hidden;

#endif /* dl-hugetext-stage.h */
