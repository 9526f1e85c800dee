/* libFuzzer target: a damaged profile does no harm to its reader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-profile.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "profile-check.h"
#include "fuzz.h"

FUZZ_BYTES (check_profile_bytes)
