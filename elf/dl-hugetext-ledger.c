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

/* Every CPU's first level has entries for that many.  CPUID is not asked for
   less: in virtual machines it takes longer than mapping a library.  */
#define LEAST 4

void
_dl_hugetext_ledger_open (struct hugetext_ledger *ledger, size_t max)
{
  ledger->cap = ledger->copies_cap = max;
}

size_t
_dl_hugetext_ledger_cap (struct hugetext_ledger *ledger)
{
  if (ledger->cap == 0)
    {
      ledger->cap = hugetext_cpu_blocks ();
      ledger->copies_cap = hugetext_cpu_copies ();
    }
  return ledger->cap;
}

size_t
_dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger, size_t wanted)
{
  if (ledger->cap == 0 && ledger->used.blocks + wanted <= LEAST)
    return wanted;
  size_t cap = _dl_hugetext_ledger_cap (ledger);
  return hugetext_min (cap > ledger->used.blocks
                       ? cap - ledger->used.blocks : 0, wanted);
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
  if (ledger->copies_cap == 0 && ledger->used.copies >= LEAST)
    _dl_hugetext_ledger_cap (ledger);
  size_t cap = ledger->copies_cap != 0 ? ledger->copies_cap : LEAST;
  size_t most = hugetext_min (cap, ledger->copies_room);
  return most > ledger->used.copies ? most - ledger->used.copies : 0;
}
