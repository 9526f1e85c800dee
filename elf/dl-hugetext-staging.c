/* Staging areas: where huge pages are prepared before they replace text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism shared by all backings: map at a block boundary, have small pages
   gathered into a huge one, move over the text in one step, put the file back
   should the kernel fail half-way.  */

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

long int
_dl_hugetext_map_aligned (const struct hugetext_geometry *geo, size_t length,
                          int prot, int flags, int fd, uint64_t offset)
{
  uintptr_t block = geo->block;
  /* Linux 6.7 aligns large mappings by itself; where it does not, luck
     sometimes does.  */
  long int raw = sys_mmap (0, length, prot, flags, fd, offset);
  if (sys_failed (raw) || (raw & (block - 1)) == 0)
    return raw;
  sys_munmap (raw, length);

  size_t room = length + block - geo->page;
  raw = sys_mmap (0, room, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sys_failed (raw))
    return raw;
  uintptr_t aligned = (raw + block - 1) & -block;
  long int mapped = sys_mmap (aligned, length, prot, flags | MAP_FIXED, fd,
                              offset);
  if (sys_failed (mapped))
    {
      sys_munmap (raw, room);
      return mapped;
    }
  /* Failures leave some untouched address space behind, nothing else.  */
  if (aligned > (uintptr_t) raw)
    sys_munmap (raw, aligned - raw);
  if (raw + room > aligned + length)
    sys_munmap (aligned + length, raw + room - (aligned + length));
  return aligned;
}

long int
_dl_hugetext_collapse (const struct hugetext_geometry *geo, uintptr_t address)
{
  long int result = sys_madvise (address, geo->block, MADV_COLLAPSE);
  /* Somebody held one of its pages for a moment.  */
  if (result == -EAGAIN)
    result = sys_madvise (address, geo->block, MADV_COLLAPSE);
  return result;
}

/* Put the file FD back into [START, END) of OBJECT.  Only needed if the
   kernel fails in the middle of a move, when it has already removed the old
   mapping.  */
static void
restore_text (const struct hugetext_object *object, int fd, uintptr_t start,
              uintptr_t end)
{
  struct hugetext_piece piece;
  for (uintptr_t cursor = start;
       _dl_hugetext_next_piece (object, cursor, end, &piece);
       cursor = piece.end)
    sys_mmap (piece.start, piece.end - piece.start,
              (piece.segment->read ? PROT_READ : 0)
              | (piece.segment->exec ? PROT_EXEC | object->extra_prot : 0),
              MAP_PRIVATE | MAP_FIXED, fd, piece.offset);
}

bool
_dl_hugetext_move (const struct hugetext_object *object,
                   const struct hugetext_source *source, uintptr_t from,
                   size_t length, uintptr_t to)
{
  if (!sys_failed (sys_mremap_onto (from, length, to)))
    return true;
  /* The advice changes nothing, but tells whether a page is missing.  */
  if (sys_madvise (to, length, MADV_NORMAL) == -ENOMEM)
    restore_text (object, source->fd, to, to + length);
  return false;
}

int
_dl_hugetext_text_prot (const struct hugetext_object *object,
                        const struct hugetext_geometry *geo, uintptr_t block)
{
  return (object->extra_prot | PROT_EXEC
          | (hugetext_block_execute_only (object, geo, block)
             ? 0 : PROT_READ));
}
