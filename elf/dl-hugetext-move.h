/* The move of a program that the kernel has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_MOVE_H
#define _DL_HUGETEXT_MOVE_H 1

#include "dl-hugetext-placement.h"

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Move the program OBJECT, open on FD, to PLACEMENT, and tell the kernel and
   AUXV.  Return the difference of addresses, 0 if the program stays.  Set LOW
   to the lowest address that is reserved for the program.  */
extern ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_object *object, uintptr_t page,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv,
                               uintptr_t *low) attribute_hidden;

/* Map the segments of OBJECT, open on FD, with load bias BIAS over the
   reservation there, as the kernel would map them.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW (Addr) bias) attribute_hidden;

#endif

#endif /* dl-hugetext-move.h */
