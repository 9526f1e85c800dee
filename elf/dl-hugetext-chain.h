/* Which backings blocks of an object can have, and which of them comes first.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_CHAIN_H
#define _DL_HUGETEXT_CHAIN_H 1

#include "dl-hugetext-backing.h"
#include "dl-hugetext-install.h"

/* Most backings that blocks can have one after the other.  */
#define HUGETEXT_CHAIN_MAX 2

/* Set CHAIN to the backings that share blocks of JOB, CONGRUENT or not, best
   first, and WHY to what is to be said of blocks if there are none.  Returns
   their number.  */
extern size_t
_dl_hugetext_chain_of_shared (struct hugetext_job *job, bool congruent,
                              hugetext_backing_row *
                                chain[HUGETEXT_CHAIN_MAX],
                              enum hugetext_outcome *why) attribute_hidden;

/* Whether copies of JOB's text are asked for.  */
extern bool _dl_hugetext_may_copy (struct hugetext_job *job) attribute_hidden;

/* As _dl_hugetext_chain_of_shared, of those that copy blocks of JOB from START
   on.  They cost more to find out, so only where some blocks are missing.  */
extern size_t
_dl_hugetext_chain_of_copies (struct hugetext_job *job, uintptr_t start,
                              hugetext_backing_row *
                                chain[HUGETEXT_CHAIN_MAX],
                              enum hugetext_outcome *why) attribute_hidden;

#endif /* dl-hugetext-chain.h */
