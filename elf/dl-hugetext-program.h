/* A program that the kernel has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PROGRAM_H
#define _DL_HUGETEXT_PROGRAM_H 1

#include "dl-hugetext-state.h"

/* If the kernel has mapped the program L, and it has no record yet: make one
   from what was noted when it was looked at, and moved.  */
extern void
_dl_hugetext_remember_program (struct link_map *l) attribute_hidden;

/* The name by which the program, or the loader, was executed, NULL if
   unknown.  */
extern const char *_dl_hugetext_executed_name (const ElfW (auxv_t)
                                               * auxv) attribute_hidden;

/* The loader has the program as an argument, and has mapped nothing yet: read
   the settings.  Returns false if there is none, or if it is to be listed
   only.  */
extern bool _dl_hugetext_program_argument (void) attribute_hidden;

#endif /* dl-hugetext-program.h */
