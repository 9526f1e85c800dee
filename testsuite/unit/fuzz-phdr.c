/* libFuzzer target: malformed program headers cannot harm the policy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-plan-random.c does the same with random bytes, for compilers without a
   fuzzer.  */

#include "plan-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_bytes)
