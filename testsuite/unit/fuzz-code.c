/* libFuzzer target: whatever happens to code, blocks are followed right.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-code.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "code-check.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  check_steps (data, size);
  return 0;
}
