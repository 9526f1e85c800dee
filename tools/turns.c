/* In which order things that are compared take turns.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "turns.h"

/* Marsaglia's xorshift, a triple of shifts of full period.  */
static uint64_t
next (uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void
swap (size_t order[], size_t a, size_t b)
{
  size_t kept = order[a];
  order[a] = order[b];
  order[b] = kept;
}

void
turns_order (size_t order[], size_t count, size_t round, uint64_t *state)
{
  if (round % 2 == 1)
    {
      for (size_t i = 0; i < count / 2; i++)
        swap (order, i, count - 1 - i);
      return;
    }
  for (size_t i = 0; i < count; i++)
    order[i] = i;
  for (size_t left = count; left > 1; left--)
    swap (order, left - 1, (next (state) >> 33) % left);
}
