/* The question whether the user fixes where text lies.  Generic version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_ADDRESS_H
#define _HUGETEXT_ADDRESS_H 1

#include <stdbool.h>

/* True if objects are to lie where mmap puts them.  */
static inline bool
hugetext_address_taken (void)
{
  return false;
}

#endif /* hugetext-address.h */
