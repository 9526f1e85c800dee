/* libFuzzer target: no bytes that are printed control a terminal.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-printable.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "printable-check.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  check_printable_bytes (data, size);
  return 0;
}
