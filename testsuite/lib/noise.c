/* Write bytes that look random and are always the same.  The bytes fill the
   text of test objects, so that a page in the wrong place is noticed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   noise BYTES [-|FROM [SEED]] >FILE

   With FROM, a multiple of the page size, write the part of the noise that
   begins at offset FROM, with the functions of text.S in it.  Different
   values of SEED give different noise.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text-step.h"

#define WORDS (STEP / sizeof (uint64_t))

/* Write to PLACE a function that returns NUMBER.  The function takes FUNCTION
   bytes.  */
static void
put_function (void *place, uint32_t number)
{
#if defined __x86_64__
  unsigned char code[FUNCTION] = { 0xb8, 0, 0, 0, 0, 0xc3 };
  /* mov $number, %eax; ret  */
  memcpy (code + 1, &number, sizeof number);
#elif defined __aarch64__
  /* bti c: a nop without BTI; mov w0, #number; ret  */
  uint32_t code[] = { 0xd503245f, 0x52800000 | number << 5, 0xd65f03c0 };
#else
#  error "how does a function return a number?"
#endif
  memcpy (place, code, FUNCTION);
}

int
main (int argc, char **argv)
{
  unsigned long int bytes = argc > 1 ? strtoul (argv[1], NULL, 0) : 0;
  const int text = argc > 2 && strcmp (argv[2], "-") != 0;
  unsigned long int skip = text ? strtoul (argv[2], NULL, 0) / STEP : 0;
  uint64_t state = argc > 3 ? strtoul (argv[3], NULL, 0) : 1;
  uint64_t words[WORDS];
  uint32_t number = 0;
  while (bytes > 0)
    {
      for (size_t i = 0; i < WORDS; ++i)
        {
          /* A linear congruential generator with Knuth's multiplier for MMIX.
             The generator's low bits are not very random, so mix in the high
             bits.  */
          state = state * 6364136223846793005U + 1442695040888963407U;
          words[i] = state ^ (state >> 29);
        }
      if (skip > 0)
        {
          --skip;
          continue;
        }
      if (text)
        put_function (words, number++);
      const size_t size = bytes < sizeof words ? bytes : sizeof words;
      fwrite (words, size, 1, stdout);
      bytes -= size;
    }
  return fflush (stdout) != 0 || ferror (stdout);
}
