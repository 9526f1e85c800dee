/* libFuzzer target: whatever happens to code, blocks are followed right.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-code.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "code-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_steps)
