/* A library that needs TLS_SIZE bytes of static TLS.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

static __thread char block[TLS_SIZE]
    __attribute__ ((tls_model ("initial-exec")));

char *
static_tls_block (void)
{
  return block;
}
