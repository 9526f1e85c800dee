/* The search for an object's place: the loader compares how much of the text
   page cache and store have for each place.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_CHOOSE_H
#define _DL_HUGETEXT_CHOOSE_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"

/* Choose the place of OBJECT, whose file is FILE, open on FD, and whose heat
   has the number HEAT.  The decision is hugetext_choose's, with the facts of
   this machine.  If OBJECT can use huge pages of its file, have the kernel
   cache as much of the file in huge pages as OBJECT can use.  */
extern struct hugetext_site_verdict
_dl_hugetext_choose (struct hugetext_state *state, int fd,
                     const struct hugetext_identity *file,
                     struct hugetext_object *object, uint32_t heat, bool fixed,
                     struct hugetext_placement *placement) attribute_hidden;

#endif /* dl-hugetext-choose.h */
