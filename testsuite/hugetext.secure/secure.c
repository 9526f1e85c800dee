/* Print which tunables a set-user-ID program sees, and its facts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "facts.h"

int
main (void)
{
  const char *tunables = getenv ("GLIBC_TUNABLES");
  printf ("secure: %lu\n", getauxval (AT_SECURE));
  printf ("tunables: %s\n", tunables != NULL ? tunables : "none");
  fflush (stdout);
  hugetext_facts ("exit");
  return 0;
}
