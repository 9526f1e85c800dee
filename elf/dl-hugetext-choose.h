/* The search for an object's place: the text that page cache and store have
   for each place.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_CHOOSE_H
#define _DL_HUGETEXT_CHOOSE_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"

/* Choose the place of OBJECT, which is FILE, open on FD, and has HEAT, a
   number: hugetext_choose, with what there is.  If its file has huge pages for
   it, has as much of it cached in such as is of use.  */
extern struct hugetext_site_verdict
_dl_hugetext_choose (struct hugetext_state *state, int fd,
                     const struct hugetext_identity *file,
                     struct hugetext_object *object, uint32_t heat, bool fixed,
                     struct hugetext_placement *placement) attribute_hidden;

#endif /* dl-hugetext-choose.h */
