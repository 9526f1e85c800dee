/* The function that libFuzzer calls, for targets whose only input is bytes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stddef.h>
#include <stdint.h>

extern int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* CHECK (DATA, SIZE) prints what is wrong, and ends the process.  */
#define FUZZ_BYTES(check)                                       \
  int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size) \
  {                                                             \
    check (data, size);                                         \
    return 0;                                                   \
  }
