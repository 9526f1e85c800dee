/* The handover of a program that has just been started to the system's own
   loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_HANDOVER_H
#define _DL_HUGETEXT_HANDOVER_H 1

#include <ldsodefs.h>

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Hand PROGRAM, of which nothing has been relocated, over to the system's own
   loader.  Returns only if that is not possible, with the reason.  */
extern const char *
_dl_hugetext_hand_over (struct link_map *program) attribute_hidden;

#endif

#endif /* dl-hugetext-handover.h */
