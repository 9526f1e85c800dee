/* The code object: the loader adds it to a program to follow code made at run
   time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_CODE_H
#define _DL_HUGETEXT_CODE_H 1

#include <link.h>
#include <stdbool.h>

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Have the code object preloaded for a program, if the settings say that code
   made at run time is followed.  The kernel has mapped the program, with
   headers PHDR, or the loader NAME will map it, and PHDR is NULL.  NAME is the
   name of the loader unless the program's headers name another.  */
extern void _dl_hugetext_offer_code (const ElfW (Phdr) * phdr,
                                     ElfW (Word) phnum,
                                     const char *name) attribute_hidden;

/* Give back what was borrowed from the environment: the loader has read it
   before L is mapped.  If L is the program, it may refuse the code object.  */
extern void
_dl_hugetext_check_offer (const struct link_map *l) attribute_hidden;

/* Withdraw the offer of the code object: nothing needs it any more.  */
extern void _dl_hugetext_withdraw_code (void) attribute_hidden;

/* Link the code object's calls: ROOT, the program or the object that dlopen
   opens, is mapped with all objects that it needs.  */
extern void _dl_hugetext_link_code (struct link_map *root) attribute_hidden;

/* Have the objects that were opened with RTLD_DEEPBIND, of ROOT and all that
   it needs, find the calls of CODE.  The objects are mapped but not yet
   relocated.  */
extern void _dl_hugetext_deepen (struct link_map *root,
                                 struct link_map *code) attribute_hidden;

#endif

#endif /* dl-hugetext-code.h */
