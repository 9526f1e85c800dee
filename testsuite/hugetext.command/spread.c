/* A program that runs in PAGES pages of its text, at most 1024, until it is
   killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: spread PAGES READY  */

#include <stdio.h>
#include <stdlib.h>

/* A function on a page of its own.  */
#define ONE(n)                                                          \
  static __attribute__ ((noinline, aligned (4096))) unsigned int f##n ( \
      unsigned int x)                                                   \
  {                                                                     \
    for (int i = 0; i < 100; ++i)                                       \
      __asm__ volatile("" : "+r"(x));                                   \
    return x + 1##n;                                                    \
  }
#define FOUR(n) ONE (n##0) ONE (n##1) ONE (n##2) ONE (n##3)
#define SIXTEEN(n) FOUR (n##0) FOUR (n##1) FOUR (n##2) FOUR (n##3)
#define MANY(n) SIXTEEN (n##0) SIXTEEN (n##1) SIXTEEN (n##2) SIXTEEN (n##3)
#define MORE(n) MANY (n##0) MANY (n##1) MANY (n##2) MANY (n##3)
MORE (0)
MORE (1)
MORE (2)
MORE (3)

#undef ONE
#define ONE(n) f##n,
static unsigned int (*const functions[]) (unsigned int)
    = { MORE (0) MORE (1) MORE (2) MORE (3) };

int
main (int argc, char **argv)
{
  const size_t count = sizeof functions / sizeof functions[0];
  size_t pages = argc == 3 ? strtoul (argv[1], NULL, 10) : 0;
  FILE *ready = pages > 0 && pages <= count ? fopen (argv[2], "w") : NULL;
  if (ready == NULL || fclose (ready) != 0)
    return 1;
  unsigned int x = 1;
  for (size_t i = 0;; i = (i + 7) % pages)
    x = functions[i](x);
}
