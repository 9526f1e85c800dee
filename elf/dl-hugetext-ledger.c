/* How many huge pages the process may have, and who has how many.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <hugetext-cpu.h>

#include "dl-hugetext-ledger.h"
#include "dl-hugetext-limits.h"
#include "dl-hugetext-object.h"

/* Copies take one part in so many of what memory limits leave.  A little of
   it: the rest is for the program, whose limit was chosen without us.  */
#define MEMORY_SHARE 16

void
_dl_hugetext_ledger_open (struct hugetext_ledger *ledger, size_t max)
{
  ledger->cap = max != 0 ? max : hugetext_cpu_blocks ();
  ledger->copies_cap = max != 0 ? max : hugetext_cpu_copies ();
}

size_t
_dl_hugetext_ledger_copies (struct hugetext_ledger *ledger, size_t block,
                            char scratch[4096])
{
  if (!ledger->room_known)
    {
      ledger->room_known = true;
      /* Of what would be left without the copies that there are.  */
      size_t left = _dl_hugetext_memory_left (scratch, 4096) / block;
      ledger->copies_room = (left + ledger->used.copies) / MEMORY_SHARE;
    }
  size_t most = hugetext_min (ledger->copies_cap, ledger->copies_room);
  return most > ledger->used.copies ? most - ledger->used.copies : 0;
}
