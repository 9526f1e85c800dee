/* libFuzzer target: the record in a process cannot harm the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-record.c does the same with random changes, for compilers without a
   fuzzer.  */

#include "record-check.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  char bytes[sizeof right_record > 4096 ? sizeof right_record : 4096];
  size = damage (bytes, sizeof bytes, make_right_record (), RECORD_AT (spare),
                 data, size);
  check_record (bytes, size);
  return 0;
}
