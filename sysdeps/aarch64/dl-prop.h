/* The hook that shows which objects glibc protects by branch target
   identification.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc's own code decides which objects it protects by branch target
   identification (BTI).  This header makes glibc call _dl_hugetext_bti_protect
   (dl-hugetext-bti.c) instead of _dl_bti_protect.  */

#ifndef _DL_PROP_HUGETEXT_BTI_H
#define _DL_PROP_HUGETEXT_BTI_H 1

#if IS_IN(rtld)
#  define _dl_bti_protect _dl_hugetext_bti_protect
#endif
#include_next <dl-prop.h>
#undef _dl_bti_protect

#endif /* dl-prop.h */
