/* Rehearsals: starts that end before anything of the program runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

void
_dl_hugetext_end_rehearsal (unsigned char said)
{
  HUGETEXT_SYSCALL (write, 1, &said, 1);
  /* Wait for the end of the file; no byte comes before it.  */
  while (sys_read (0, &said, 1) == -EINTR)
    continue;
  for (;;)
    HUGETEXT_SYSCALL (exit_group, 0);
}

void
_dl_hugetext_rehearsed (void)
{
  if (__glibc_unlikely (_dl_hugetext_set.rehearsal))
    _dl_hugetext_end_rehearsal (HUGETEXT_REHEARSED);
}
