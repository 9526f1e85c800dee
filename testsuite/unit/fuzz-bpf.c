/* libFuzzer target: the program for each seccomp filter either runs to its end
   or refuses the filter.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-bpf.c does the same with random bytes, for compilers without a
   fuzzer.  */

#include "bpf-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_bpf_bytes)
