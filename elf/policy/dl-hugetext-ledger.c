/* The ledger of huge pages: how many huge pages the process may have, and how
   many each object uses.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include <dl-hugetext-sys.h>
#include <hugetext-cpu.h>

#include "dl-hugetext-ledger.h"
#include "dl-hugetext-object.h"
#include "dl-hugetext-modules.h"

/* Copies may use 1 / MEMORY_SHARE of the memory that the limits of the process
   leave.  The rest of the memory within the limits stays free for the program,
   because the limits were set without taking copies into account.  */
#define MEMORY_SHARE 16

/* A number of huge pages for which the first-level TLB of every CPU has enough
   entries.  If the process has at most LEAST blocks, the loader does not
   execute CPUID to compute the cap: in a virtual machine CPUID takes longer
   than mapping a library.  */
#define LEAST 4

size_t
_dl_hugetext_ledger_cap (struct hugetext_ledger *ledger)
{
  size_t cap = __atomic_load_n (&ledger->cap, __ATOMIC_RELAXED);
  if (cap == 0)
    {
      cap = hugetext_cpu_blocks ();
      __atomic_store_n (&ledger->copies_cap, hugetext_cpu_copies (cap),
                        __ATOMIC_RELAXED);
      __atomic_store_n (&ledger->cap, cap, __ATOMIC_RELAXED);
    }
  return cap;
}

size_t
_dl_hugetext_ledger_places (struct hugetext_ledger *ledger, size_t used,
                            size_t wanted)
{
  if (__atomic_load_n (&ledger->cap, __ATOMIC_RELAXED) == 0
      && used + wanted <= LEAST)
    return wanted;
  size_t cap = _dl_hugetext_ledger_cap (ledger);
  return hugetext_min (cap > used ? cap - used : 0, wanted);
}

size_t
_dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger, size_t wanted)
{
  return _dl_hugetext_ledger_places (
      ledger, ledger->used.blocks + _dl_hugetext_ledger_code (ledger), wanted);
}

size_t
_dl_hugetext_ledger_claim (struct hugetext_ledger *ledger, size_t wanted)
{
  __atomic_store_n (&ledger->text, ledger->used.blocks + wanted,
                    __ATOMIC_SEQ_CST);
  size_t n = _dl_hugetext_ledger_blocks (ledger, wanted);
  __atomic_store_n (&ledger->text, ledger->used.blocks + n, __ATOMIC_SEQ_CST);
  return n;
}

size_t
_dl_hugetext_ledger_room (const struct hugetext_ledger *ledger, size_t block,
                          char scratch[4096])
{
  /* The memory that is left does not include the memory of existing copies, so
     add the blocks of existing copies before computing the share.  */
  size_t left = _dl_hugetext_memory_left (scratch, 4096, true) / block;
  return (left + ledger->used.copies + _dl_hugetext_ledger_code (ledger))
         / MEMORY_SHARE;
}

size_t
_dl_hugetext_ledger_copies (struct hugetext_ledger *ledger, size_t block,
                            char scratch[4096])
{
  size_t used = ledger->used.copies;
  if (!ledger->room_known)
    {
      ledger->room_known = true;
      size_t most = _dl_hugetext_ledger_room (ledger, block, scratch);
      size_t code = _dl_hugetext_ledger_code (ledger);
      ledger->copies_room = most > code ? most - code : 0;
    }
  if (__atomic_load_n (&ledger->copies_cap, __ATOMIC_RELAXED) == 0
      && used >= LEAST)
    _dl_hugetext_ledger_cap (ledger);
  size_t cap = __atomic_load_n (&ledger->copies_cap, __ATOMIC_RELAXED);
  size_t most = hugetext_min (cap != 0 ? cap : LEAST, ledger->copies_room);
  return most > used ? most - used : 0;
}

bool
_dl_hugetext_limit_allows (int resource, uint64_t size)
{
  struct sys_limit limit;
  return (!sys_failed (sys_prlimit (resource, &limit))
          && limit.current >= size);
}
