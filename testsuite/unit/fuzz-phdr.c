/* libFuzzer target: malformed program headers do no harm to the plan.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-plan-random.c does the same with random bytes where the compiler has
   no fuzzer.  */

#include "plan-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_bytes)
