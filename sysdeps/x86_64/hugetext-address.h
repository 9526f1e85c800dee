/* The question whether the user fixes where text lies.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _HUGETEXT_ADDRESS_H
#define _HUGETEXT_ADDRESS_H 1

#include <ldsodefs.h>
#include <stdbool.h>

/* True if objects are to lie where mmap puts them: in the lowest 2 GiB, if no
   address is asked for (glibc.cpu.prefer_map_32bit_exec, from 2.38 on).  */
static inline bool
hugetext_address_taken (void)
{
#if __GLIBC_PREREQ(2, 38)
  return HAS_ARCH_FEATURE (Prefer_MAP_32BIT_EXEC);
#else
  return false;
#endif
}

#endif /* hugetext-address.h */
