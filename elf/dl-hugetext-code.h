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

/* The program that the kernel has mapped, with headers PHDR, or that is to be
   mapped if those are NULL, is about to be started by the loader NAME, which
   headers tell otherwise: have the object preloaded, if it is to be
   followed.  */
extern void _dl_hugetext_offer_code (const ElfW (Phdr) * phdr,
                                     ElfW (Word) phnum,
                                     const char *name) attribute_hidden;

/* L is mapped, so that the loader has read the environment: give back what was
   borrowed.  If L is the program, it may speak against the offer.  */
extern void
_dl_hugetext_check_offer (const struct link_map *l) attribute_hidden;

/* Nothing of the offer is needed any more.  */
extern void _dl_hugetext_withdraw_code (void) attribute_hidden;

/* ROOT, the program or what dlopen opens, and all it needs, is mapped.  */
extern void _dl_hugetext_link_code (struct link_map *root) attribute_hidden;

#endif

#endif /* dl-hugetext-code.h */
