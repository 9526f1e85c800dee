/* The heat of new objects, from the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_HEAT_H
#define _DL_HUGETEXT_HEAT_H 1

#include "dl-hugetext-attempt.h"

/* The heat of the objects of one attempt: a mapping that the loader makes for
   the first object with heat, and unmaps at the end of the attempt.  */
struct hugetext_heats;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Look the heat of the object with DIGEST, of FILE, up in the index.  The
   index may have it from a file whose owner is not root: heat decides only
   which blocks come first, so a wrong heat does no harm.  Return the heat's
   number in *HEATS, 0 if the index has none.  */
extern uint32_t _dl_hugetext_learn_heat (struct hugetext_attempt *attempt,
                                         struct hugetext_heats **heats,
                                         const struct hugetext_identity *file,
                                         uint64_t digest) attribute_hidden;

/* Return the heat with NUMBER in HEATS.  */
extern struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_heats *heats,
                   uint32_t number) attribute_hidden;

/* Unmap *HEATS at the end of the attempt.  */
extern void
_dl_hugetext_forget_heats (struct hugetext_heats **heats) attribute_hidden;

#endif

#endif /* dl-hugetext-heat.h */
