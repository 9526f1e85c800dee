/* libFuzzer target: a filter of system calls, whatever is in it, is run to its
   end or not taken.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-bpf.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "bpf-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_bpf_bytes)
