/* The function that protects text by branch target identification.  AArch64
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_BTI_H
#define _DL_HUGETEXT_BTI_H 1

/* _dl_bti_protect, or the answer whether it would be called
   (dl-hugetext-bti.c).  */
#if IS_IN(rtld)
extern void _dl_hugetext_bti_protect (struct link_map *, int) attribute_hidden;
#else
#  define _dl_hugetext_bti_protect _dl_bti_protect
#endif

#endif /* dl-hugetext-bti.h */
