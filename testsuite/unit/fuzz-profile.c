/* libFuzzer target: a damaged profile cannot harm its reader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-profile.c does the same with random bytes, for compilers without a
   fuzzer.  */

#include "profile-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_profile_bytes)
