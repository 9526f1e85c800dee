/* Functions for address space: reserve, map at block boundaries, move over
   text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Other code may have mapped memory in a hole outside of a reservation.  The
   loader claims the hole before it makes a block huge, and releases the hole
   on failure.  The loader never maps over a foreign mapping, because other
   threads map memory at any time.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Map SIZE bytes at ADDRESS if nothing else is mapped there.  Return 0 or an
   error; -EEXIST means that the range is in use.  Where a filter may forbid
   MAP_FIXED_NOREPLACE, which the stock loader does not use, the address is a
   hint, and a file is mapped over a reservation.  */
static long int
map_at (uintptr_t address, size_t size, int prot, int flags, int fd,
        uint64_t offset)
{
  const bool free = HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT);
  long int got
      = (free ? sys_mmap (address, size, prot,
                          MAP_PRIVATE | SYS_MAP_FIXED_NOREPLACE | flags, fd,
                          offset)
              : sys_reserve (address, size));
  if (sys_failed (got))
    return got;
  if (got != (long int) address)
    {
      /* Before Linux 4.17 the address is only a hint.  */
      sys_munmap (got, size);
      return -EEXIST;
    }
  if (free || fd < 0)
    return 0;
  got = sys_mmap (address, size, prot, MAP_PRIVATE | MAP_DENYWRITE | MAP_FIXED,
                  fd, offset);
  if (!sys_failed (got))
    return 0;
  sys_munmap (address, size);
  return got;
}

static bool
reserve_at (uintptr_t address, size_t size)
{
  return map_at (address, size, PROT_NONE, MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0)
         == 0;
}

/* Unmap [START, END).  A failure only leaves an untouched mapping, a line in
   /proc/PID/maps.  */
static void
give_back (uintptr_t start, uintptr_t end)
{
  if (start < end)
    sys_munmap (start, end - start);
}

/* Reserve SIZE bytes at an address congruent to RESIDUE modulo MODULUS.
   Return the address or an error.  */
static long int
reserve_congruent (size_t size, uintptr_t modulus, uintptr_t residue,
                   uintptr_t page)
{
  /* The next suitable address is at most MODULUS minus a page away.  */
  size_t room = size + modulus - page;
  if (room < size)
    return -ENOMEM;
  long int raw = sys_reserve (0, room);
  if (sys_failed (raw))
    return raw;
  uintptr_t low = raw + ((residue - raw) & (modulus - 1));
  give_back (raw, low);
  give_back (low + size, raw + room);
  return low;
}

/* Set RECORD's range to STRETCH.  */
static void
set_range (struct hugetext_record *record,
           const struct hugetext_stretch *stretch)
{
  record->entry.low = stretch->low;
  record->entry.high = stretch->high;
}

bool
_dl_hugetext_reserve_space (const struct hugetext_state *state,
                            struct hugetext_record *record,
                            const struct hugetext_need *need, uintptr_t below,
                            ElfW (Addr) * bias)
{
  const size_t size = hugetext_stretch_size (need);
  struct hugetext_stretch stretch;

  if (!hugetext_stretch_below (need, below, &stretch)
      || !reserve_at (stretch.low, size))
    {
      long int low = reserve_congruent (size, need->placement->modulus,
                                        hugetext_stretch_residue (need),
                                        state->set.geo.page);
      if (sys_failed (low))
        return false;
      stretch = hugetext_stretch_at (need, low);
    }
  set_range (record, &stretch);
  *bias = stretch.start - need->start;
  return true;
}

void
_dl_hugetext_hint_space (const struct hugetext_state *state,
                         struct hugetext_record *record,
                         const struct hugetext_placement *placement,
                         ElfW (Addr) * bias)
{
  const struct hugetext_object *object = &state->object;
  struct hugetext_need need = hugetext_need_of (object, placement);
  struct hugetext_stretch stretch;
  /* Behind an object with a p_align above a page, the stock loader requests
     p_align more bytes.  Behind a long file mapping the kernel requests a
     block (thp_get_unmapped_area), and ignores a hint without this space.  */
  if (object->align > state->set.geo.page)
    need.more = object->align;
  if (need.length >= state->set.geo.block)
    need.more = hugetext_max (need.more, state->set.geo.block);
  if (!hugetext_stretch_below (&need, state->below, &stretch))
    return;
  *bias = stretch.start - need.start;
  if (record != NULL)
    {
      set_range (record, &stretch);
      record->hint = *bias;
    }
}

/* Reserve [START, END).  Return true if this succeeds, or if the range is
   empty.  */
static bool
reserve_range (uintptr_t start, uintptr_t end)
{
  return start >= end || reserve_at (start, end - start);
}

void
_dl_hugetext_claim_space (struct hugetext_record *record, size_t page,
                          bool slack)
{
  const uintptr_t start = record->map->l_map_start;
  const uintptr_t end = (record->map->l_map_end + page - 1) & -page;
  record->hint = 0;
  /* Other code may have mapped memory on one side meanwhile.  */
  const bool below = slack && reserve_range (record->entry.low, start);
  const bool above = slack && reserve_range (end, record->entry.high);
  if (!below)
    record->entry.low = start;
  if (!above)
    record->entry.high = end;
  if (!below && !above)
    record->entry.low = record->entry.high = 0;
}

long int
_dl_hugetext_map_aligned (const struct hugetext_geometry *geo, size_t length,
                          int prot, int flags, int fd, uint64_t offset)
{
  /* Linux 6.7 aligns large mappings; an older kernel may do so by chance.  */
  long int address = sys_mmap (0, length, prot, flags, fd, offset);
  if (sys_failed (address) || (address & (geo->block - 1)) == 0)
    return address;
  sys_munmap (address, length);

  address = reserve_congruent (length, geo->block, 0, geo->page);
  if (sys_failed (address))
    return address;
  long int mapped
      = sys_mmap (address, length, prot, flags | MAP_FIXED, fd, offset);
  if (sys_failed (mapped))
    sys_munmap (address, length);
  return mapped;
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

/* Return the protection of SEGMENT of OBJECT.  The segment is not
   writable.  */
static int
text_prot (const struct hugetext_object *object,
           const struct hugetext_segment *segment)
{
  return ((segment->read ? PROT_READ : 0)
          | (segment->exec ? PROT_EXEC | object->extra_prot : 0));
}

/* If the kernel has unmapped the text and the holes of blocks [FIRST, LAST) of
   RUN, map both again, but not over another mapping.  Return false if a part
   is lost.  */
static bool
restore_text (const struct hugetext_run *run, size_t first, size_t last)
{
  const struct hugetext_object *object = run->object;
  const struct hugetext_geometry *geo = &run->state->set.geo;
  const bool image = run->way == HUGETEXT_WAY_STORE;
  const uintptr_t start = run->start + first * geo->block;
  const uintptr_t end = run->start + last * geo->block;
  bool found = false, restored = false;
  struct hugetext_piece piece;
  for (uintptr_t cursor = start;
       hugetext_next_piece (object, cursor, end, &piece); cursor = piece.end)
    {
      size_t length = piece.end - piece.start;
      int prot = text_prot (object, piece.segment);
      int fd = image ? run->file : run->source;
      uint64_t offset
          = (image ? run->offset + (piece.start - run->start) : piece.offset);
      /* MADV_NORMAL changes nothing, but fails if a page is missing or if the
         call is not allowed.  */
      long int there = sys_madvise (piece.start, length, MADV_NORMAL);
      bool missing = there == -ENOMEM || there == -EPERM;
      if (missing && map_at (piece.start, length, prot, 0, fd, offset) == 0)
        {
          restored = true;
          continue;
        }
      /* Find out whether all pages of the piece exist, or only pages that
         other code has mapped.  */
      for (uintptr_t at = piece.start; missing && at < piece.end;
           at += geo->page)
        if (map_at (at, geo->page, prot, 0, fd, offset) != -EEXIST)
          return false;
      found = true;
    }
  /* Claim the holes again.  If other code has mapped memory in a hole
     meanwhile, the mapping stays only if the loader does not claim the
     object's whole range.  */
  return (!restored
          || (!found && _dl_hugetext_claim_holes (object, start, end)));
}

/* Map blocks [FIRST, LAST) of RUN, which have the backing file or store, over
   the text.  The stock loader maps text over its reservation with the same
   call.  Return 0 or an error.  */
static long int
map_over (const struct hugetext_run *run, size_t first, size_t last)
{
  const uintptr_t block = run->state->set.geo.block;
  long int mapped
      = sys_mmap (run->start + first * block, (last - first) * block,
                  run->prot, MAP_PRIVATE | MAP_DENYWRITE | MAP_FIXED,
                  run->file, run->offset + first * block);
  return sys_failed (mapped) ? mapped : 0;
}

enum hugetext_reason
_dl_hugetext_map_in_place (struct hugetext_run *run)
{
  long int error = map_over (run, 0, run->nblocks);
  if (error == 0)
    {
      run->staging = run->start;
      run->evidence = HUGETEXT_IS_FILE;
      return HUGETEXT_MADE;
    }
  if (!restore_text (run, 0, run->nblocks))
    return HUGETEXT_LOST;
  return _dl_hugetext_is_refusal (error) ? HUGETEXT_FORBIDDEN
                                         : HUGETEXT_NOT_PLACED;
}

/* Replace LENGTH bytes of an image at ADDRESS by PIECE of RUN's source.  If
   PIECE is NULL, make the range a hole.  If the replacement fails, the image
   stays, which has the same bytes.  */
static void
replace_image (const struct hugetext_run *run, uintptr_t address,
               size_t length, const struct hugetext_piece *piece)
{
  const int prot
      = piece != NULL ? text_prot (run->object, piece->segment) : PROT_NONE;
  const long int mapped
      = (piece == NULL ? sys_mmap (
             address, length, prot,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
                       : sys_mmap (address, length, prot,
                                   MAP_PRIVATE | MAP_DENYWRITE | MAP_FIXED,
                                   run->source, piece->offset));
  if (sys_failed (mapped) && piece == NULL)
    reserve_at (address, length);
  else if (sys_failed (mapped))
    map_at (address, length, prot, 0, run->file,
            run->offset + (address - run->start));
}

bool
_dl_hugetext_put_back (const struct hugetext_run *run)
{
  const uintptr_t end = run->start + run->nblocks * run->state->set.geo.block;
  struct hugetext_piece piece;
  for (uintptr_t cursor = run->start; cursor < end; cursor = piece.end)
    {
      if (!hugetext_next_piece (run->object, cursor, end, &piece))
        piece.start = piece.end = end;
      if (piece.start > cursor)
        replace_image (run, cursor, piece.start - cursor, NULL);
      if (piece.end > piece.start && run->source >= 0)
        replace_image (run, piece.start, piece.end - piece.start, &piece);
    }
  return restore_text (run, 0, run->nblocks);
}

/* Map blocks [FIRST, LAST) of RUN over the text, and unmap their staging
   area.  */
static bool
move_by_mmap (const struct hugetext_run *run, size_t first, size_t last)
{
  if (map_over (run, first, last) != 0)
    return false;
  sys_munmap (_dl_hugetext_staged (run, first),
              (last - first) * run->state->set.geo.block);
  return true;
}

enum hugetext_reason
_dl_hugetext_move (const struct hugetext_run *run, size_t first, size_t last)
{
  const uintptr_t block = run->state->set.geo.block;
  if (HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT)
          ? !sys_failed (sys_mremap_onto (_dl_hugetext_staged (run, first),
                                          (last - first) * block,
                                          run->start + first * block))
          : move_by_mmap (run, first, last))
    return HUGETEXT_MADE;
  /* The kernel unmaps the old text before it moves the new mapping, and may
     run out of memory in between.  */
  return (restore_text (run, first, last) ? HUGETEXT_NOT_PLACED
                                          : HUGETEXT_LOST);
}
