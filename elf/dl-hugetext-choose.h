/* Choose where an object goes: what the policy says, and what the page cache
   has.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_CHOOSE_H
#define _DL_HUGETEXT_CHOOSE_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"

/* Whether text of OBJECT, open on FD, which is at a FIXED address or would be
   at PLACEMENT, is better there because it can be huge pages of the file.  If
   so, has the file cached in such as far as possible, what is of use of it if
   HEAT, its number, says that, and changes PLACEMENT to where that is; if not,
   perhaps to where an image in the store, of FILE, serves.  Changes OBJECT's
   bias, low and high.  */
extern bool _dl_hugetext_file_fits (struct hugetext_state *state, int fd,
                                    const struct hugetext_identity *file,
                                    struct hugetext_object *object,
                                    uint32_t heat, bool fixed,
                                    struct hugetext_placement *placement)
  attribute_hidden;

/* Change PLACEMENT of OBJECT, which is FILE, if HEAT, its number, says where
   fewer blocks would do.  */
extern void _dl_hugetext_gather (struct hugetext_state *state,
                                 const struct hugetext_identity *file,
                                 struct hugetext_object *object,
                                 uint32_t heat,
                                 struct hugetext_placement *placement)
  attribute_hidden;

#endif /* dl-hugetext-choose.h */
