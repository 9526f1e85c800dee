/* The code object's place in the scopes of libraries that were opened with
   RTLD_DEEPBIND.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_DEEP_H
#define _DL_HUGETEXT_DEEP_H 1

#include <ldsodefs.h>
#include <link.h>

/* Have the objects that were opened with RTLD_DEEPBIND, of ROOT and all that
   it needs, find the calls of CODE.  The objects are mapped but not yet
   relocated.  */
extern void _dl_hugetext_deepen (struct link_map *root,
                                 struct link_map *code) attribute_hidden;

#endif /* dl-hugetext-deep.h */
