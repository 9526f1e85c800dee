/* libFuzzer target: no bytes that are printed control a terminal.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-printable.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "printable-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_printable_bytes)
