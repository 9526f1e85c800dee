/* A program that the kernel has mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PROGRAM_H
#define _DL_HUGETEXT_PROGRAM_H 1

#include "dl-hugetext-state.h"

/* Make a record for the program L if the kernel has mapped it and it has none
   yet, from the facts that were noted before it was moved.  */
extern void
_dl_hugetext_remember_program (struct link_map *l) attribute_hidden;

/* The name by which the program, or the loader, was executed, NULL if
   unknown.  */
extern const char *_dl_hugetext_executed_name (const ElfW (auxv_t)
                                               * auxv) attribute_hidden;

/* Read the settings of a program that is the loader's argument; nothing of it
   is mapped yet.  False if there is no program, or if it is only listed
   (--list).  */
extern bool _dl_hugetext_program_argument (void) attribute_hidden;

#endif /* dl-hugetext-program.h */
