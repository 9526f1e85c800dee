/* libFuzzer target: after being made printable, no bytes can control a
   terminal.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-printable.c does the same with random bytes, for compilers without a
   fuzzer.  */

#include "printable-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_printable_bytes)
