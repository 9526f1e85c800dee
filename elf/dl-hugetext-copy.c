/* Replace text by a copy of itself on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism of the backings thp and hugetlb.  The copy is made in a staging
   area that is first readable and writable, then executable, and is moved
   over the text in one step, so that the text is never missing, never half
   copied, and no memory is ever writable and executable at once.  Whatever
   fails, the old text is still in place.  */

#include <string.h>
#include <unistd.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* After this many blocks without a huge page the rest is not tried: each
   attempt may make the kernel compact memory, for milliseconds.  */
#define FAILURES_MAX 3

/* From <linux/mman.h>: log2 of the huge page size goes here.  */
#define HUGETLB_SIZE_SHIFT 26

/* A run of blocks being copied.  */
struct run
{
  struct hugetext_state *state;
  const struct hugetext_object *object;
  const struct hugetext_source *source;
  enum hugetext_backing backing;
  bool owned;
  uintptr_t start;              /* Run-time address of the text.  */
  size_t nblocks;
  uintptr_t staging;            /* Where the copy is prepared.  */
};

/* What the segments of an object hold of a range of addresses.  */
struct piece
{
  uintptr_t start, end;         /* Run-time.  */
  uint64_t offset;              /* In the file.  */
};

/* The next piece of OBJECT in [FROM, END); false if there is none.  */
static bool
next_piece (const struct hugetext_object *object, uintptr_t from,
            uintptr_t end, struct piece *piece)
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
          *piece = (struct piece)
            { start, stop,
              s->offset + (start - (s->start + object->bias)) };
          return true;
        }
    }
  return false;
}

/* Read LENGTH bytes of mapped text at ADDRESS into DESTINATION.  Unlike a
   memcpy this gets an error, not a signal, where the file has been
   truncated.  Returns the number of bytes or an error.  */
static long int
read_memory (uintptr_t destination, uintptr_t address, size_t length)
{
  struct { uintptr_t base; size_t length; }
    local = { destination, length }, remote = { address, length };
  return INTERNAL_SYSCALL_CALL (process_vm_readv, __getpid (), &local, 1,
                                &remote, 1, 0);
}

/* Read the contents of text [START, END), at OFFSET in the file, into
   DESTINATION, which is zeroed.  */
static bool
read_piece (const struct hugetext_source *source, uintptr_t start,
            uintptr_t end, uint64_t offset, uintptr_t destination,
            uintptr_t page)
{
  while (start < end)
    {
      long int n = (source->fd >= 0
                    ? sys_pread (source->fd, destination, end - start, offset)
                    : read_memory (destination, start, end - start));
      if (sys_failed (n))
        {
          if (n == -EINTR)
            continue;
          return false;
        }
      if (n == 0)
        /* The end of the file.  The rest of its last page reads as zeros,
           as it does when mapped; pages after it do not exist.  */
        return ((end - start) < page && source->fd >= 0
                && (start & (page - 1)) != 0);
      start += n;
      offset += n;
      destination += n;
    }
  return true;
}

/* Give back the holes in [ADDRESS, END) that claim_holes has mapped.  */
static void
release_holes (const struct run *run, uintptr_t address, uintptr_t end)
{
  struct piece piece;
  uintptr_t cursor = address;
  while (cursor < end)
    {
      if (!next_piece (run->object, cursor, end, &piece))
        piece.start = piece.end = end;
      if (piece.start > cursor)
        sys_munmap (cursor, piece.start - cursor);
      cursor = piece.end;
    }
}

/* Claim the holes in the block at ADDRESS, which nobody has reserved: map
   them without access unless something else is there.  */
static bool
claim_holes (const struct run *run, uintptr_t address)
{
  uintptr_t end = address + run->state->geo.block;
  uintptr_t cursor = address;
  struct piece piece;
  while (cursor < end)
    {
      if (!next_piece (run->object, cursor, end, &piece))
        piece.start = piece.end = end;
      if (piece.start > cursor)
        {
          size_t length = piece.start - cursor;
          long int got = sys_mmap (cursor, length, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS
                                   | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                                   -1, 0);
          if (got != (long int) cursor)
            {
              /* Before Linux 4.17 the address is but a hint.  */
              if (!sys_failed (got))
                sys_munmap (got, length);
              release_holes (run, address, cursor);
              return false;
            }
        }
      cursor = piece.end;
    }
  return true;
}

/* Whether all of the block at ADDRESS is resident.  After a single page of
   it was touched, that means that the kernel gave a huge page.  */
static bool
is_resident (const struct hugetext_geometry *geo, uintptr_t address)
{
  unsigned char vector[64];
  uintptr_t step = sizeof vector * geo->page;
  for (uintptr_t a = address; a < address + geo->block; a += step)
    {
      if (sys_failed (sys_mincore (a, step, vector)))
        return false;
      for (size_t i = 0; i < sizeof vector; ++i)
        if ((vector[i] & 1) == 0)
          return false;
    }
  return true;
}

/* Fill block number I of RUN's staging area.  The first access is always
   the kernel's, on our behalf: where a control group's limit would kill for
   a page fault, a system call merely fails.  */
static enum hugetext_outcome
fill_block (const struct run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->geo;
  uintptr_t address = run->start + i * geo->block;
  uintptr_t staging = run->staging + i * geo->block;
  struct piece piece;
  bool huge = run->backing == HUGETEXT_HUGETLB;
  bool checked = huge;

  for (uintptr_t cursor = address;
       next_piece (run->object, cursor, address + geo->block, &piece);
       cursor = piece.end)
    {
      if (!checked)
        {
          /* One page, to see what the fault gets.  */
          uintptr_t end = piece.start + geo->page;
          if (!read_piece (run->source, piece.start, end, piece.offset,
                           staging + (piece.start - address), geo->page))
            return HUGETEXT_UNREADABLE;
          huge = is_resident (geo, staging);
          if (!huge && _dl_hugetext_thp_never ())
            return HUGETEXT_THP_NEVER;
          checked = true;
          piece.offset += geo->page;
          piece.start = end;
        }
      if (!read_piece (run->source, piece.start, piece.end, piece.offset,
                       staging + (piece.start - address), geo->page))
        return HUGETEXT_UNREADABLE;
    }
  if (!huge && sys_failed (sys_madvise (staging, geo->block, MADV_COLLAPSE)))
    return HUGETEXT_NOT_HUGE;
  return HUGETEXT_MADE;
}

/* Map LENGTH bytes for a copy on transparent huge pages, aligned to BLOCK.
   Returns the address or an error.  */
static long int
map_aligned (size_t length, uintptr_t block, uintptr_t page)
{
  int prot = PROT_READ | PROT_WRITE;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  /* Linux 6.7 aligns large mappings by itself.  */
  long int raw = sys_mmap (0, length, prot, flags, -1, 0);
  if (sys_failed (raw) || (raw & (block - 1)) == 0)
    return raw;
  sys_munmap (raw, length);

  size_t room = length + block - page;
  raw = sys_mmap (0, room, prot, flags, -1, 0);
  if (sys_failed (raw))
    return raw;
  uintptr_t aligned = (raw + block - 1) & -block;
  /* Failures leave some untouched address space behind, nothing else.  */
  if (aligned > (uintptr_t) raw)
    sys_munmap (raw, aligned - raw);
  if (raw + room > aligned + length)
    sys_munmap (aligned + length, raw + room - (aligned + length));
  return aligned;
}

/* Map RUN's staging area.  */
static enum hugetext_outcome
map_staging (struct run *run)
{
  const struct hugetext_geometry *geo = &run->state->geo;
  size_t length = run->nblocks * geo->block;
  long int staging;

  if (run->backing == HUGETEXT_HUGETLB)
    {
      /* The kernel aligns it.  Without MAP_NORESERVE it says here if the
         pool is short; with it, a fault would kill.  */
      int size = __builtin_ctzl (geo->block) << HUGETLB_SIZE_SHIFT;
      staging = sys_mmap (0, length, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size,
                          -1, 0);
      if (sys_failed (staging))
        return HUGETEXT_POOL_SHORT;
    }
  else
    {
      staging = map_aligned (length, geo->block, geo->page);
      if (sys_failed (staging))
        return HUGETEXT_NO_SPACE;
      if (sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE)))
        {
          /* A kernel without transparent huge pages.  */
          sys_munmap (staging, length);
          run->state->failures = FAILURES_MAX;
          return HUGETEXT_NOT_HUGE;
        }
    }
  run->staging = staging;
  return HUGETEXT_MADE;
}

/* Put the file back into [START, END) of RUN's text.  Only needed if the
   kernel fails in the middle of a move, when it has already removed the old
   mapping.  */
static void
restore_text (const struct run *run, uintptr_t start, uintptr_t end)
{
  struct piece piece;
  if (run->source->fd < 0)
    return;
  for (uintptr_t cursor = start;
       next_piece (run->object, cursor, end, &piece); cursor = piece.end)
    for (size_t i = 0; i < run->object->nsegments; ++i)
      {
        const struct hugetext_segment *s = &run->object->segment[i];
        if (s->start + run->object->bias <= piece.start
            && piece.start < s->end + run->object->bias)
          sys_mmap (piece.start, piece.end - piece.start,
                    (s->read ? PROT_READ : 0) | (s->exec ? PROT_EXEC : 0),
                    MAP_PRIVATE | MAP_FIXED, run->source->fd, piece.offset);
      }
}

/* Move blocks [FIRST, LAST) of RUN's staging area over the text.  */
static enum hugetext_outcome
move_blocks (const struct run *run, size_t first, size_t last)
{
  uintptr_t block = run->state->geo.block;
  uintptr_t from = run->staging + first * block;
  uintptr_t to = run->start + first * block;
  size_t length = (last - first) * block;
  bool execute_only = hugetext_block_execute_only (run->object,
                                                   &run->state->geo, to);

  if (sys_failed (sys_mprotect (from, length,
                                PROT_EXEC | (execute_only ? 0 : PROT_READ))))
    return HUGETEXT_PROTECT;
  if (sys_failed (sys_mremap_onto (from, length, to)))
    {
      unsigned char vector;
      for (uintptr_t a = to; a < to + length; a += run->state->geo.page)
        if (sys_mincore (a, run->state->geo.page, &vector) == -ENOMEM)
          {
            restore_text (run, to, to + length);
            break;
          }
      return HUGETEXT_MOVE;
    }
  return HUGETEXT_MADE;
}

/* Whether blocks I and I + 1 of RUN need the same protection.  */
static bool
same_protection (const struct run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->geo;
  uintptr_t address = run->start + i * geo->block;
  return (hugetext_block_execute_only (run->object, geo, address)
          == hugetext_block_execute_only (run->object, geo,
                                          address + geo->block));
}

/* Move all blocks of RUN that were filled, neighbours together.  */
static void
move_filled (const struct run *run, enum hugetext_outcome outcome[])
{
  for (size_t first = 0, last; first < run->nblocks; first = last)
    {
      last = first + 1;
      if (outcome[first] != HUGETEXT_MADE)
        continue;
      while (last < run->nblocks && outcome[last] == HUGETEXT_MADE
             && same_protection (run, last - 1))
        ++last;
      enum hugetext_outcome moved = move_blocks (run, first, last);
      for (size_t i = first; i < last; ++i)
        outcome[i] = moved;
    }
}

/* Give back what is left of RUN's staging area, and the holes that were
   claimed for blocks that were not made.  Only what is still ours: other
   threads may map memory where a block was moved away.  */
static void
clean_up (const struct run *run, const enum hugetext_outcome outcome[])
{
  uintptr_t block = run->state->geo.block;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (outcome[i] != HUGETEXT_MADE)
      {
        uintptr_t address = run->start + i * block;
        sys_munmap (run->staging + i * block, block);
        if (!run->owned && outcome[i] != HUGETEXT_HOLE_TAKEN
            && outcome[i] != HUGETEXT_GAVE_UP)
          release_holes (run, address, address + block);
      }
}

/* Copy RUN, whose staging area is mapped.  */
static void
copy_staged (const struct run *run, enum hugetext_outcome outcome[])
{
  struct hugetext_state *state = run->state;

  for (size_t i = 0; i < run->nblocks; ++i)
    {
      uintptr_t address = run->start + i * state->geo.block;
      if (state->failures >= FAILURES_MAX)
        outcome[i] = HUGETEXT_GAVE_UP;
      else if (!run->owned && !claim_holes (run, address))
        outcome[i] = HUGETEXT_HOLE_TAKEN;
      else
        {
          outcome[i] = fill_block (run, i);
          if (outcome[i] == HUGETEXT_NOT_HUGE)
            ++state->failures;
          else if (outcome[i] == HUGETEXT_THP_NEVER)
            state->failures = FAILURES_MAX;
        }
    }
  move_filled (run, outcome);
  clean_up (run, outcome);
}

void
_dl_hugetext_copy (struct hugetext_state *state,
                   const struct hugetext_object *object,
                   const struct hugetext_source *source,
                   enum hugetext_backing backing, bool owned,
                   uintptr_t start, size_t nblocks,
                   enum hugetext_outcome outcome[])
{
  struct run run = { .state = state, .object = object, .source = source,
                     .backing = backing, .owned = owned, .start = start,
                     .nblocks = nblocks };

  enum hugetext_outcome mapped
    = state->failures < FAILURES_MAX ? map_staging (&run) : HUGETEXT_GAVE_UP;
  if (mapped == HUGETEXT_MADE)
    copy_staged (&run, outcome);
  else if (mapped == HUGETEXT_POOL_SHORT && nblocks > 1)
    {
      /* Perhaps the pool has enough for a part.  */
      size_t half = nblocks / 2;
      _dl_hugetext_copy (state, object, source, backing, owned, start, half,
                         outcome);
      _dl_hugetext_copy (state, object, source, backing, owned,
                         start + half * state->geo.block, nblocks - half,
                         outcome + half);
    }
  else
    {
      if (mapped == HUGETEXT_POOL_SHORT)
        /* Not a single page is left: do not ask again and again.  */
        state->failures = FAILURES_MAX;
      for (size_t i = 0; i < nblocks; ++i)
        outcome[i] = mapped;
    }
}
