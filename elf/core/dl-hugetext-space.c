/* Functions that change address space: they reserve ranges, map memory at
   block boundaries, and move blocks over text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the loader has not reserved an object's whole range, other code may have
   mapped memory in the gaps (holes) between the object's segments.  Before the
   loader makes a block huge, it reserves the block's holes, and releases them
   if the block does not become huge.  Because other threads may map memory at
   any time, the loader never maps over a range that it has not reserved,
   unless the range holds text of the object.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Map SIZE bytes at ADDRESS if nothing else is mapped there.  Return 0 or a
   negative error number; -EEXIST means that the range is in use.  A filter may
   forbid MAP_FIXED_NOREPLACE, because the stock loader does not use this flag.
   If the process may have a filter, reserve the range with ADDRESS as a hint.
   If the reservation is at ADDRESS, and there is a file, map the file over the
   reservation.  */
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
      /* Kernels before Linux 4.17 ignore the flag MAP_FIXED_NOREPLACE, and
         treat the address as a hint.  */
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

/* Unmap [START, END).  If munmap fails, an unused mapping remains, which only
   adds a line to /proc/PID/maps.  */
static void
space_unmap_range (uintptr_t start, uintptr_t end)
{
  if (start < end)
    sys_munmap (start, end - start);
}

/* Reserve SIZE bytes at an address congruent to RESIDUE modulo MODULUS.
   Return the address or a negative error number.  */
static long int
reserve_congruent (size_t size, uintptr_t modulus, uintptr_t residue,
                   uintptr_t page)
{
  /* First reserve SIZE plus MODULUS minus one page: the distance from any page
     to the next address congruent to RESIDUE is at most MODULUS minus one
     page.  */
  size_t room = size + modulus - page;
  if (room < size)
    return -ENOMEM;
  long int raw = sys_reserve (0, room);
  if (sys_failed (raw))
    return raw;
  uintptr_t low = raw + ((residue - raw) & (modulus - 1));
  space_unmap_range (raw, low);
  space_unmap_range (low + size, raw + room);
  return low;
}

/* Note in RECORD that the loader has reserved the range of addresses of
   STRETCH.  */
static void
space_set_range (struct hugetext_record *record,
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
  space_set_range (record, &stretch);
  *bias = stretch.start - need->start;
  return true;
}

bool
_dl_hugetext_hint_space (const struct hugetext_state *state,
                         const struct hugetext_placement *placement,
                         struct hugetext_hint *hint)
{
  const struct hugetext_object *object = &state->object;
  struct hugetext_need need = hugetext_need_of (object, placement);
  struct hugetext_stretch stretch;
  /* The kernel ignores a hint if the gap between mappings at the hint is too
     small.  In two cases, the gap must be larger than the object.  If p_align
     of the object is larger than a page, the stock loader requests p_align
     additional bytes.  If the file mapping is at least as long as a block, the
     kernel looks for a gap that is one block larger than the mapping
     (thp_get_unmapped_area).  */
  if (object->align > state->set.geo.page)
    need.more = object->align;
  if (need.length >= state->set.geo.block)
    need.more = hugetext_max (need.more, state->set.geo.block);
  if (!hugetext_stretch_below (&need, state->below, &stretch))
    return false;
  hint->bias = stretch.start - need.start;
  hint->low = stretch.low;
  hint->high = stretch.high;
  return true;
}

/* Reserve [START, END).  Return true if the kernel has reserved the range of
   addresses, or if the range is empty.  */
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
  /* Since the kernel has mapped the object, other code may have mapped memory
     directly below or above the object.  Where other code has mapped memory,
     the loader cannot reserve slack.  */
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
  /* Linux 6.7 and newer align large mappings to blocks.  Older kernels may
     return an aligned address by chance.  If the address is not aligned,
     reserve a longer range and map at an aligned address in it.  */
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
      space_unmap_range (cursor, piece.start);
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

/* Return the protection of SEGMENT of OBJECT.  SEGMENT is not writable.  */
static int
text_prot (const struct hugetext_object *object,
           const struct hugetext_segment *segment)
{
  return ((segment->read ? PROT_READ : 0)
          | (segment->exec ? PROT_EXEC | object->extra_prot : 0));
}

/* The kernel may have unmapped text and holes of blocks [FIRST, LAST) of RUN.
   Map this text and these holes again.  Never map over memory that other code
   has mapped.  Return false if some of the text is lost.  */
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
      /* madvise with MADV_NORMAL changes nothing, but fails with ENOMEM if a
         page is not mapped.  If a filter forbids the call, or may forbid it,
         the loader assumes that a page is not mapped.  This is safe, because
         map_at replaces no mapping.  */
      const bool missing
          = sys_failed (sys_madvise (piece.start, length, MADV_NORMAL));
      if (missing && map_at (piece.start, length, prot, 0, fd, offset) == 0)
        {
          restored = true;
          continue;
        }
      /* The kernel could not map the whole PIECE at once.  Try to map each
         page of PIECE.  If the loader cannot map a page although its addresses
         are free, the text of the page is lost.  If the addresses are not
         free, other code has mapped memory there.  */
      for (uintptr_t at = piece.start; missing && at < piece.end;
           at += geo->page)
        if (map_at (at, geo->page, prot, 0, fd, offset) != -EEXIST)
          return false;
      found = true;
    }
  /* Reserve the holes again.  If other code has mapped memory in the blocks
     (in a hole, or over text), return false as if text were lost.  With this
     result, the caller does not unmap the object's whole range, in which other
     code now has memory.  */
  return (!restored
          || (!found && _dl_hugetext_claim_holes (object, start, end)));
}

/* Map blocks [FIRST, LAST) of RUN, whose backing is "file" or "store", over
   the text.  A seccomp filter allows this mmap, because the stock loader maps
   text over its reservation with the same flags.  Return 0 or a negative error
   number.  */
static long int
space_map_over_text (const struct hugetext_run *run, size_t first, size_t last)
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
  long int error = space_map_over_text (run, 0, run->nblocks);
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

/* Replace the LENGTH bytes of an image that are mapped at ADDRESS with PIECE,
   a part of RUN's source.  If PIECE is NULL, map the LENGTH bytes as a hole,
   without access rights.  If the loader cannot map PIECE, the image stays
   mapped, or the loader maps the image again, which is harmless because the
   image has the same bytes as the text.  */
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

bool
_dl_hugetext_map_again (struct hugetext_state *state, int source,
                        const struct hugetext_piece *piece)
{
  const struct hugetext_object *object = &state->object;
  const uintptr_t size = state->set.geo.block;
  const uintptr_t start = hugetext_round_down (piece->start, size);
  const size_t nblocks = (piece->end - start + size - 1) / size;
  const struct hugetext_run run = { .state = state,
                                    .object = object,
                                    .way = HUGETEXT_WAY_FILE,
                                    .source = source,
                                    .start = start,
                                    .nblocks = nblocks };
  const long int mapped = sys_mmap (piece->start, piece->end - piece->start,
                                    text_prot (object, piece->segment),
                                    MAP_PRIVATE | MAP_DENYWRITE | MAP_FIXED,
                                    source, piece->offset);
  return !sys_failed (mapped) || restore_text (&run, 0, nblocks);
}

/* Map blocks [FIRST, LAST) of RUN over the text, and unmap the staging area of
   these blocks.  */
static bool
move_by_mmap (const struct hugetext_run *run, size_t first, size_t last)
{
  if (space_map_over_text (run, first, last) != 0)
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
  /* If mremap fails, the old text may already be unmapped: the kernel first
     unmaps the old text, and may then have no memory for the move.  */
  return (restore_text (run, first, last) ? HUGETEXT_NOT_PLACED
                                          : HUGETEXT_LOST);
}
