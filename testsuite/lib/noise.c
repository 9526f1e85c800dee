/* Write bytes that look random and are always the same: what fills the text
   of test objects, so that a page in the wrong place cannot go unnoticed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   noise BYTES >FILE  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  unsigned long int bytes = argc > 1 ? strtoul (argv[1], NULL, 0) : 0;
  uint64_t state = 1;
  for (unsigned long int i = 0; i < bytes; i += sizeof state)
    {
      /* A linear congruential generator; the multiplier is Knuth's, for
         MMIX.  Its low bits are poor: mix in the high ones.  */
      state = state * 6364136223846793005U + 1442695040888963407U;
      uint64_t word = state ^ (state >> 29);
      fwrite (&word, sizeof word, 1, stdout);
    }
  return fflush (stdout) != 0 || ferror (stdout);
}
