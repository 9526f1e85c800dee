/* The order of the blocks that "hugetext explain" prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"

#include <stdlib.h>

struct entry
{
  struct explained_block *block;
  uint32_t value;
  size_t position;
};

static int
by_value (const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->value != y->value)
    return x->value > y->value ? -1 : 1;
  return x->position < y->position ? -1 : 1;
}

void
explain_rank (struct explained list[], size_t count)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    n += list[i].nblocks;
  struct entry *entries = calloc (n, sizeof *entries);
  n = 0;
  for (size_t i = 0; i < count && entries != NULL; ++i)
    for (size_t k = 0; k < list[i].nblocks; ++k)
      {
        struct explained_block *block = &list[i].blocks[k];
        if (!block->ranked)
          continue;
        entries[n] = (struct entry){ .block = block,
                                     .value = hugetext_block_value (
                                         &geo, block->text, block->heat),
                                     .position = n };
        ++n;
      }
  if (n > 0)
    qsort (entries, n, sizeof *entries, by_value);
  for (size_t i = 0; i < n; ++i)
    entries[i].block->rank = i + 1;
  free (entries);
}
