/* libFuzzer target: a damaged profile does no harm to its reader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-profile.c does the same with random bytes where the compiler has no
   fuzzer.  */

#include "profile-check.h"

extern int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  check_profile_bytes (data, size);
  return 0;
}
