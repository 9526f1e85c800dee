/* Address space: reserve it, map at block boundaries, move over text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Other code may have mapped a hole that is not part of a reservation; the
   loader claims the hole before it makes a block, and gives it back if that
   fails.  Nothing is ever mapped over a foreign mapping: other threads map
   memory at any time.  */

#include "dl-hugetext-space.h"
#include "dl-hugetext-sys.h"

/* Reserve SIZE bytes at ADDRESS.  False if another mapping is there.  */
static bool
reserve_at (uintptr_t address, size_t size)
{
  long int got = sys_mmap (address, size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                               | MAP_FIXED_NOREPLACE,
                           -1, 0);
  if (got == (long int) address)
    return true;
  /* Before Linux 4.17 the address is a hint.  */
  if (!sys_failed (got))
    sys_munmap (got, size);
  return false;
}

/* Unmap [START, END).  A failure leaves untouched address space behind: a line
   in /proc/PID/maps and nothing else.  */
static void
give_back (uintptr_t start, uintptr_t end)
{
  if (start < end)
    sys_munmap (start, end - start);
}

uintptr_t
_dl_hugetext_reserve_space (const struct hugetext_object *object,
                            const struct hugetext_placement *placement,
                            uintptr_t page, uintptr_t near)
{
  size_t length = hugetext_object_length (object);
  size_t size = placement->before + length + placement->after;
  /* The residue of the lowest address that gives the load bias the right
     residue.  */
  uintptr_t residue = (placement->residue + hugetext_object_start (object)
                       - placement->before);

  if (near > size + placement->modulus)
    {
      uintptr_t high = near - size;
      uintptr_t low = high - ((high - residue) & (placement->modulus - 1));
      if (reserve_at (low, size))
        return low;
    }

  /* The largest distance to the next suitable address is a modulus less a
     page.  */
  size_t room = size + placement->modulus - page;
  if (room < length)
    return 0;
  long int raw = sys_mmap (0, room, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (sys_failed (raw))
    return 0;
  uintptr_t low = raw + ((residue - raw) & (placement->modulus - 1));
  give_back (raw, low);
  give_back (low + size, raw + room);
  return low;
}

long int
_dl_hugetext_map_aligned (const struct hugetext_geometry *geo, size_t length,
                          int prot, int flags, int fd, uint64_t offset)
{
  uintptr_t block = geo->block;
  /* Linux 6.7 aligns large mappings by itself; an older kernel may do so by
     chance.  */
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
  long int mapped
      = sys_mmap (aligned, length, prot, flags | MAP_FIXED, fd, offset);
  if (sys_failed (mapped))
    {
      sys_munmap (raw, room);
      return mapped;
    }
  give_back (raw, aligned);
  give_back (aligned + length, raw + room);
  return aligned;
}

void
_dl_hugetext_release_holes (const struct hugetext_object *object,
                            uintptr_t start, uintptr_t end)
{
  struct hugetext_piece piece;
  for (uintptr_t cursor = start; cursor < end; cursor = piece.end)
    {
      if (!hugetext_next_piece (object, cursor, end, &piece))
        piece.start = piece.end = end;
      give_back (cursor, piece.start);
    }
}

bool
_dl_hugetext_claim_holes (const struct hugetext_object *object,
                          uintptr_t start, uintptr_t end)
{
  struct hugetext_piece piece;
  for (uintptr_t cursor = start; cursor < end; cursor = piece.end)
    {
      if (!hugetext_next_piece (object, cursor, end, &piece))
        piece.start = piece.end = end;
      if (piece.start > cursor && !reserve_at (cursor, piece.start - cursor))
        {
          _dl_hugetext_release_holes (object, start, cursor);
          return false;
        }
    }
  return true;
}

/* The state of text that the kernel may have removed.  Its members are sums
   over pieces.  */
struct restoration
{
  bool found;    /* A mapping is in the piece's place.  */
  bool restored; /* A piece was missing, and is mapped again.  */
  bool failed;   /* A piece was missing, and could not be mapped again.  */
};

/* A range of addresses that maps a file.  */
struct file_range
{
  uintptr_t start, end;
  int prot;
  int fd;
  uint64_t offset; /* Of START.  */
};

/* Map [START, END) of RANGE unless something is mapped there.  */
static void
restore_part (const struct file_range *range, uintptr_t start, uintptr_t end,
              struct restoration *result)
{
  long int got = sys_mmap (start, end - start, range->prot,
                           MAP_PRIVATE | MAP_FIXED_NOREPLACE, range->fd,
                           range->offset + (start - range->start));
  if (got == (long int) start)
    result->restored = true;
  else if (got == -EEXIST || !sys_failed (got))
    {
      /* Before Linux 4.17 the address is a hint.  */
      if (!sys_failed (got))
        sys_munmap (got, end - start);
      result->found = true;
    }
  /* The advice changes nothing; its error tells whether a page is missing.  */
  else if (sys_madvise (start, end - start, MADV_NORMAL) == -ENOMEM)
    result->failed = true;
  else
    result->found = true;
}

/* Map the missing parts of RANGE, and add what was found to RESULT.  */
static void
restore_range (const struct file_range *range, uintptr_t page,
               struct restoration *result)
{
  struct restoration one = { false, false, false };
  restore_part (range, range->start, range->end, &one);
  if (one.found)
    /* Find out whether all of it was there, or single pages that other code
       has mapped.  */
    for (uintptr_t a = range->start; a < range->end; a += page)
      restore_part (range, a, a + page, &one);
  result->found |= one.found;
  result->restored |= one.restored;
  result->failed |= one.failed;
}

/* Whether the text is in its place after restore_range.  */
static bool
is_whole (const struct restoration *all)
{
  return !all->failed && !(all->found && all->restored);
}

/* Map the text, from REMEDY, and the holes in [START, END) of OBJECT again if
   the kernel has removed them, but not over another mapping.  False if a part
   is lost.  */
static bool
restore_text (const struct hugetext_object *object, uintptr_t page,
              const struct hugetext_remedy *remedy, uintptr_t start,
              uintptr_t end)
{
  struct restoration all = { false, false, false };
  struct hugetext_piece piece;
  for (uintptr_t cursor = start;
       hugetext_next_piece (object, cursor, end, &piece); cursor = piece.end)
    {
      struct file_range range = {
        .start = piece.start,
        .end = piece.end,
        .fd = remedy->fd,
        .offset = (remedy->image ? remedy->offset + (piece.start - start)
                                 : piece.offset),
        .prot = ((piece.segment->read ? PROT_READ : 0)
                 | (piece.segment->exec ? PROT_EXEC | object->extra_prot : 0))
      };
      restore_range (&range, page, &all);
    }
  if (!is_whole (&all))
    return false;
  /* Claim the holes again: a mapping that other code has made in a hole
     meanwhile stays only if the loader does not take the object's range for
     its own.  */
  return !all.restored || _dl_hugetext_claim_holes (object, start, end);
}

enum hugetext_move
_dl_hugetext_move (const struct hugetext_object *object, uintptr_t page,
                   const struct hugetext_remedy *remedy, uintptr_t from,
                   size_t length, uintptr_t to)
{
  if (!sys_failed (sys_mremap_onto (from, length, to)))
    return HUGETEXT_MOVED;
  /* The kernel removes the mappings at TO before it moves the new one, and may
     run out of memory in between.  */
  return (restore_text (object, page, remedy, to, to + length)
              ? HUGETEXT_NOT_MOVED
              : HUGETEXT_TEXT_LOST);
}

int
_dl_hugetext_text_prot (const struct hugetext_object *object,
                        const struct hugetext_geometry *geo, uintptr_t block)
{
  return (
      object->extra_prot | PROT_EXEC
      | (hugetext_block_execute_only (object, geo, block) ? 0 : PROT_READ));
}
