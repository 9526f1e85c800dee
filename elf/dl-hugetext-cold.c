/* Cold blocks, whose places hot ones may take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text that nobody has seen executing is put on huge pages only where that
   costs no memory, and only on what the others leave of the cap.  Should
   something hot be opened later, such blocks are mapped with small pages
   again: the contents are the same pages of the same file, so that this can
   be done while the program runs.  */

#include "dl-hugetext-cold.h"
#include "dl-hugetext-report.h"
#include "dl-hugetext-sys.h"

void
_dl_hugetext_note_cold (struct hugetext_state *state,
                        const struct link_map *l, uintptr_t block)
{
  if (state->ncold < HUGETEXT_COLD_MAX)
    state->cold[state->ncold++]
      = (struct hugetext_cold_block) { .map = l, .block = block };
}

/* Have the kernel map BLOCK, of SIZE bytes, with small pages.  Where an area
   of memory ends in the middle of a huge page it is divided; the two become
   one area again.  */
static bool
make_small (uintptr_t block, uintptr_t size)
{
  return (!sys_failed (sys_madvise (block, size / 2, MADV_NOHUGEPAGE))
          && !sys_failed (sys_madvise (block + size / 2, size / 2,
                                       MADV_NOHUGEPAGE)));
}

void
_dl_hugetext_give_back (struct hugetext_state *state, size_t n)
{
  for (; n > 0 && state->ncold > 0; --n)
    {
      const struct hugetext_cold_block *last = &state->cold[state->ncold - 1];
      struct hugetext_record *record = _dl_hugetext_find (state, last->map);
      if (record == NULL || !make_small (last->block, state->set.geo.block))
        return;
      _dl_hugetext_ledger_give (&state->ledger, &record->charge);
      uint8_t *fate = _dl_hugetext_fate (state, record, last->block);
      if (fate != NULL)
        *fate = HUGETEXT_FATE_GIVEN_BACK;
      _dl_hugetext_report_given_back (last->map, last->block);
      --state->ncold;
    }
}

void
_dl_hugetext_forget_cold (struct hugetext_state *state,
                          const struct link_map *l)
{
  size_t kept = 0;
  for (size_t i = 0; i < state->ncold; ++i)
    if (state->cold[i].map != l)
      state->cold[kept++] = state->cold[i];
  state->ncold = kept;
}
