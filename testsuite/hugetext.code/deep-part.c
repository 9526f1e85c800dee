/* A library that tells which mprotect it finds; with -DOWN it has one itself.
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
