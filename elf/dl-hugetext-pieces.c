/* What of a block belongs to which segment, and the holes between.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism.  A hole that is not part of a reservation may have been mapped
   by somebody else; it is claimed before the block is made, and given back if
   that fails.  */

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

bool
_dl_hugetext_next_piece (const struct hugetext_object *object, uintptr_t from,
                         uintptr_t end, struct hugetext_piece *piece)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      uintptr_t start = s->start + object->bias;
      uintptr_t stop = s->fileend + object->bias;
      if (start < from)
        start = from;
      if (stop > end)
        stop = end;
      if (start < stop)
        {
          *piece = (struct hugetext_piece)
            { start, stop, s->offset + (start - (s->start + object->bias)),
              s };
          return true;
        }
    }
  return false;
}

void
_dl_hugetext_release_holes (const struct hugetext_object *object,
                            uintptr_t start, uintptr_t end)
{
  struct hugetext_piece piece;
  for (uintptr_t cursor = start; cursor < end; cursor = piece.end)
    {
      if (!_dl_hugetext_next_piece (object, cursor, end, &piece))
        piece.start = piece.end = end;
      if (piece.start > cursor)
        sys_munmap (cursor, piece.start - cursor);
    }
}

bool
_dl_hugetext_claim_holes (const struct hugetext_object *object,
                          uintptr_t start, uintptr_t end)
{
  struct hugetext_piece piece;
  for (uintptr_t cursor = start; cursor < end; cursor = piece.end)
    {
      if (!_dl_hugetext_next_piece (object, cursor, end, &piece))
        piece.start = piece.end = end;
      if (piece.start > cursor
          && !_dl_hugetext_reserve_at (cursor, piece.start - cursor))
        {
          _dl_hugetext_release_holes (object, start, cursor);
          return false;
        }
    }
  return true;
}
