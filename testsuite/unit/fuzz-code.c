/* libFuzzer target: no matter what happens to code, the table of blocks stays
   right.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-code.c does the same with random bytes, for compilers without a
   fuzzer.  */

#include "code-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_steps)
