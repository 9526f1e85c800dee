/* The staging area: blocks are prepared beside the text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The backings share this part: map, touch, ask the kernel which blocks are
   huge, and retry until the backing has no means left.  */

#include "dl-hugetext-probe.h"
#include "dl-hugetext-stage.h"

bool
_dl_hugetext_stage (struct hugetext_run *run,
                    const struct hugetext_backing *backing)
{
  size_t nblocks = run->nblocks;
  run->memory_file = -1;
  run->untouched = false;
  enum hugetext_outcome mapped = backing->map (run);
  if (mapped != HUGETEXT_MADE)
    run->nblocks = 0;
  for (size_t i = 0; i < nblocks; ++i)
    run->outcome[i] = (mapped != HUGETEXT_MADE ? mapped
                       : i < run->nblocks      ? HUGETEXT_MADE
                                               : backing->if_small);
  if (mapped != HUGETEXT_MADE)
    return false;

  backing->touch (run);
  unsigned int way = 0;
  while (_dl_hugetext_probe (run->attempt, run->staging, run->nblocks,
                             run->untouched, backing->way != HUGETEXT_WAY_FILE,
                             run->huge)
             < run->nblocks
         && backing->retry (run, &way))
    ;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (run->outcome[i] == HUGETEXT_MADE && !run->huge[i])
      run->outcome[i] = backing->if_small;
  return true;
}
