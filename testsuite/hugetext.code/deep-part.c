/* A library with a function that returns the mprotect that the library finds.
   With -DOWN, the library has an mprotect of its own.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <sys/mman.h>

extern void *which (void);

#ifdef OWN
int
mprotect (void *address, size_t length, int prot)
{
  (void) address;
  (void) length;
  return prot;
}
#endif

void *
which (void)
{
  return (void *) mprotect;
}
