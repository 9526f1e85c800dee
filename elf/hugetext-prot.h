/* The protection that text needs besides reading and execution.  Generic
   version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_PROT_H
#define _HUGETEXT_PROT_H 1

#include <link.h>

/* The bits to be added to PROT_READ and PROT_EXEC for the text of L.  */
static inline int
_dl_hugetext_extra_prot (struct link_map *l)
{
  return 0;
}

#endif /* hugetext-prot.h */
