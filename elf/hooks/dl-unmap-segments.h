/* Unmap a shared object's segments and the address space that the loader has
   reserved around them.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_UNMAP_SEGMENTS_HUGETEXT_H
#define _DL_UNMAP_SEGMENTS_HUGETEXT_H 1

#define _dl_unmap_segments _dl_unmap_segments_stock
#include_next <dl-unmap-segments.h>
#undef _dl_unmap_segments

#include <dl-hugetext.h>

static __always_inline void
_dl_unmap_segments (struct link_map *l)
{
#if IS_IN(rtld)
  if (_dl_hugetext_unmap (l))
    return;
#endif
  _dl_unmap_segments_stock (l);
}

#endif /* dl-unmap-segments.h */
