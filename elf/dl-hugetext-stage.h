/* The staging area: blocks are prepared beside the text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_STAGE_H
#define _DL_HUGETEXT_STAGE_H 1

#include "dl-hugetext-backing.h"

/* Map and touch RUN with BACKING.  Sets HUGE and OUTCOME for each block: only
   what the kernel says that it has mapped huge is HUGETEXT_MADE.  Returns
   whether the staging area is mapped; if not, all outcomes say why.  */
extern bool
_dl_hugetext_stage (struct hugetext_run *run,
                    const struct hugetext_backing *backing) attribute_hidden;

#endif /* dl-hugetext-stage.h */
