/* libFuzzer target: a damaged index cannot harm its reader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-index.c does the same with random bytes, for compilers without a
   fuzzer.  */

#define _GNU_SOURCE 1
#include "index-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_index_bytes)
