/* The protection that text needs besides reading and execution.  AArch64
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_PROT_H
#define _HUGETEXT_PROT_H 1

#include <link.h>

/* PROT_BTI if the text of L is mapped with it, or 0.  */
extern int _dl_hugetext_extra_prot (struct link_map *l) attribute_hidden;

#endif /* hugetext-prot.h */
