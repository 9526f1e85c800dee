/* Cold blocks, whose places hot ones may take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_COLD_H
#define _DL_HUGETEXT_COLD_H 1

#include "dl-hugetext-state.h"

/* Note that BLOCK of L is cold, and has been made with a backing that is
   shared.  What there is no room for keeps its place.  */
extern void _dl_hugetext_note_cold (struct hugetext_state *state,
                                    const struct link_map *l,
                                    uintptr_t block) attribute_hidden;

/* Have N cold blocks, or as many as there are, give their places back.  */
extern void _dl_hugetext_give_back (struct hugetext_state *state, size_t n)
  attribute_hidden;

/* Forget L's.  */
extern void _dl_hugetext_forget_cold (struct hugetext_state *state,
                                      const struct link_map *l)
  attribute_hidden;

#endif /* dl-hugetext-cold.h */
