/* The heat of new objects, from the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_HEAT_H
#define _DL_HUGETEXT_HEAT_H 1

#include "dl-hugetext-attempt.h"

/* The heat of the objects of one attempt; a mapping that is made when there is
   any, and gone with the attempt.  */
struct hugetext_heats;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Learn what is known of the heat of the object with DIGEST, which is of
   FILE; not only of a trusted one, since what is believed of it does no harm
   if its owner has replaced it.  Returns its number in *HEATS, 0 if nothing is
   known.  */
extern uint32_t _dl_hugetext_learn_heat (struct hugetext_attempt *attempt,
                                         struct hugetext_heats **heats,
                                         const struct hugetext_identity *file,
                                         uint64_t digest) attribute_hidden;

/* The heat of object NUMBER.  */
extern struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_heats *heats,
                   uint32_t number) attribute_hidden;

/* The attempt is over.  */
extern void
_dl_hugetext_forget_heats (struct hugetext_heats **heats) attribute_hidden;

#endif

#endif /* dl-hugetext-heat.h */
