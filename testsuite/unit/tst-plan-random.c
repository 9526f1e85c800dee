/* Test that malformed program headers, made at random, do no harm to the
   plan.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   fuzz-phdr.c does the same with bytes that a fuzzer chooses.  The first
   argument is the number of rounds, the second one the seed.  */

#include "plan-check.h"

/* Inputs with which the fuzzer has found faults.  */
static const struct
{
  size_t size;
  uint8_t data[64];
} found[] = {
  /* The last segment of text has only zero fill, no contents of the file.  */
  { 45,
    { 0x06, 0x00, 0x40, 0xe9, 0x06, 0x30, 0x70, 0x8a, 0x8a, 0x8a, 0x8a, 0x8a,
      0xff, 0xff, 0xfc, 0x02, 0x00, 0x0a, 0x47, 0x47, 0x47, 0x47, 0x00, 0x47,
      0x47, 0x47, 0x47, 0x47, 0x47, 0x01, 0x00, 0x00, 0xc3, 0x01, 0x00, 0x01,
      0xfc, 0xc3, 0x4a, 0x4a, 0x7f, 0x7f, 0x7f, 0x00, 0x0a } },
};

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 400000;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  unsigned long int good = 0;

  if (state == 0)
    state = 1;
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      uint8_t data[512];
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 32;
      good += check_bytes (data, size);
    }
  for (size_t i = 0; i < sizeof found / sizeof found[0]; ++i)
    EXPECT (check_bytes (found[i].data, found[i].size));
  group_done ("what the fuzzer has found", sizeof found / sizeof found[0]);
  /* If hardly any input is accepted, the test has tested nothing.  */
  EXPECT (good > rounds / 16);
  group_done ("random bytes", rounds);
  group_done ("random objects", good);
  return 0;
}
