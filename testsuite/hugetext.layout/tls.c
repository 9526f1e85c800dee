/* Static TLS in a test object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

static __thread int initialized[64]
    __attribute__ ((tls_model ("initial-exec")))
    = { 1, 2, 3, 4 };
static __thread int zero[64] __attribute__ ((tls_model ("initial-exec")));

int
case_test (void)
{
  zero[63] += 5;
  return initialized[0] + initialized[3] + zero[0] + zero[63];
}
