/* Back text with huge pages of the object's own file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism of the backing file.  Nothing is copied: the page cache holds
   the huge pages and all processes share them.  Whether it does is up to the
   filesystem and to how the file came to be cached, so the file is mapped a
   second time, in a staging area, and only blocks that the kernel really
   has mapped huge there replace the text.  */

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

struct run
{
  struct hugetext_state *state;
  const struct hugetext_object *object;
  const struct hugetext_source *source;
  uintptr_t start;              /* Run-time address of the text.  */
  uintptr_t staging;            /* Where the file is mapped as well.  */
  uint64_t offset;              /* Its file offset.  */
  size_t nblocks;
};

/* As struct iovec, without its header's baggage.  */
struct vector
{
  uintptr_t base;
  size_t length;
};

/* Drop the blocks of RUN marked in WHICH from the page cache, so that they
   can be read again as huge pages.  That works unless somebody else has them
   mapped; our own mappings go first, their pages are clean.  Returns whether
   there were any.  */
static bool
evict (const struct run *run, const bool which[])
{
  uintptr_t block = run->state->set.geo.block;
  struct hugetext_piece piece;
  bool any = false;
  for (size_t k = 0; k < run->nblocks; ++k)
    {
      if (!which[k])
        continue;
      any = true;
      uintptr_t start = run->start + k * block;
      sys_madvise (run->staging + k * block, block, MADV_DONTNEED);
      for (uintptr_t cursor = start;
           _dl_hugetext_next_piece (run->object, cursor, start + block,
                                    &piece);
           cursor = piece.end)
        if (!piece.segment->write)
          sys_madvise (piece.start, piece.end - piece.start, MADV_DONTNEED);
      INTERNAL_SYSCALL_CALL (fadvise64, run->source->fd,
                             run->offset + k * block, block,
                             POSIX_FADV_DONTNEED);
    }
  return any;
}

/* The number of faults of this thread that had to wait for the disk.  */
static long int
major_faults (void)
{
  struct rusage usage;
  return (sys_failed (INTERNAL_SYSCALL_CALL (getrusage, RUSAGE_THREAD,
                                             &usage))
          ? 0 : usage.ru_majflt);
}

/* Fault in the block at ADDRESS: its beginning, middle and end.  By a system
   call, which fails where an access would kill: the file may be shorter than
   its segments.  */
static void
touch_block (const struct hugetext_geometry *geo, uintptr_t address,
             bool filtered)
{
  uintptr_t spot[] = { address, address + geo->block / 2,
                       address + geo->block - geo->page };
  if (filtered)
    for (int i = 0; i < 3; ++i)
      /* From Linux 5.14 on.  */
      sys_madvise (spot[i], geo->page, MADV_POPULATE_READ);
  else
    {
      char byte[3];
      struct vector local = { (uintptr_t) byte, sizeof byte };
      struct vector remote[] = { { spot[0], 1 }, { spot[1], 1 },
                                 { spot[2], 1 } };
      INTERNAL_SYSCALL_CALL (process_vm_readv, __getpid (), &local, 1, remote,
                             3, 0);
    }
}

/* Fault in the blocks of RUN marked in WHICH, the last one first: readahead
   for one must not spoil the next.  Sets READ for those of which a part had
   to be read: nothing else tells whether a file was cached to those who may
   not write to it.  Under a filter that is not asked.  */
static void
touch_blocks (const struct run *run, const bool which[], bool read[])
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  bool filtered = _dl_hugetext_watch (run->state)->filtered;
  long int before = filtered ? 0 : major_faults ();

  for (size_t i = run->nblocks; i-- > 0; )
    {
      read[i] = false;
      if (!which[i])
        continue;
      touch_block (geo, run->staging + i * geo->block, filtered);
      if (filtered)
        continue;
      long int after = major_faults ();
      read[i] = after > before;
      before = after;
    }
}

/* Ask the kernel to gather block I of RUN, which is cached in small pages,
   into a huge page.  Works from Linux 7 on, before that nowhere that
   matters: once refused, it is not asked again.  */
static bool
collapse (const struct run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  if (run->state->no_file_collapse)
    return false;
  long int result = _dl_hugetext_collapse (geo,
                                           run->staging + i * geo->block);
  if (result == -EINVAL)
    run->state->no_file_collapse = true;
  return !sys_failed (result);
}

/* Make huge what can be made huge of RUN, whose staging area is mapped, and
   set HUGE for each block.

   A block that has just been read, and is small, was cached in part: reading
   the ELF header does that, and every first access to the object's data,
   around which the kernel reads megabytes in small pages.  Since zeroing the
   end of .data is part of exec, the last megabytes of text are lost in every
   program start.  Such a block is evicted and read again.  One that was
   cached as a whole is left alone: others use it, unless it was this very
   start that has read all of it.  */
static void
wake (const struct run *run, bool huge[])
{
  bool touch[HUGETEXT_RUN_MAX], read[HUGETEXT_RUN_MAX];

  for (size_t i = 0; i < run->nblocks; ++i)
    touch[i] = true;
  touch_blocks (run, touch, read);
  _dl_hugetext_scan (run->state, run->staging, run->nblocks, huge);

  for (size_t i = 0; i < run->nblocks; ++i)
    touch[i] = (read[i] || run->state->cold_start) && !huge[i];
  if (evict (run, touch))
    {
      touch_blocks (run, touch, read);
      _dl_hugetext_scan (run->state, run->staging, run->nblocks, huge);
    }

  for (size_t i = 0; i < run->nblocks; ++i)
    if (!huge[i])
      huge[i] = collapse (run, i);
}

/* Map the file behind RUN a second time, without the blocks that it is too
   short for.  */
static bool
map_staging (struct run *run, int prot)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  struct __stat64_t64 status;
  if (__fstat64_time64 (run->source->fd, &status) != 0)
    return false;
  uint64_t end = (status.st_size + geo->page - 1) & -geo->page;
  size_t fit = end > run->offset ? (end - run->offset) / geo->block : 0;
  if (run->nblocks > fit)
    run->nblocks = fit;
  if (fit == 0)
    return false;

  size_t length = run->nblocks * geo->block;
  long int staging
    = _dl_hugetext_map_aligned (geo, length, prot, MAP_PRIVATE,
                                run->source->fd, run->offset);
  if (sys_failed (staging))
    return false;
  run->staging = staging;
  /* With the second advice the kernel reads just the block that is touched.
     Otherwise it reads on in the background, in small pages.  */
  if (sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE))
      || sys_failed (sys_madvise (staging, length, MADV_RANDOM)))
    {
      sys_munmap (staging, length);
      return false;
    }
  return true;
}

size_t
_dl_hugetext_file_wake (struct hugetext_state *state, int fd, uint64_t offset,
                        size_t nblocks)
{
  struct hugetext_object nothing = { .nsegments = 0 };
  struct hugetext_source source = { .fd = fd };
  struct run run = { .state = state, .object = &nothing, .source = &source,
                     .offset = offset, .nblocks = nblocks };
  bool huge[HUGETEXT_RUN_MAX];
  size_t n = 0;

  if (!map_staging (&run, PROT_READ))
    return 0;
  wake (&run, huge);
  sys_munmap (run.staging, run.nblocks * state->set.geo.block);
  for (size_t i = 0; i < run.nblocks; ++i)
    n += huge[i];
  return n;
}

void
_dl_hugetext_file (struct hugetext_state *state,
                   const struct hugetext_object *object,
                   const struct hugetext_source *source, uintptr_t start,
                   size_t nblocks, enum hugetext_outcome outcome[])
{
  const struct hugetext_geometry *geo = &state->set.geo;
  struct run run = { .state = state, .object = object, .source = source,
                     .start = start, .nblocks = nblocks };
  bool huge[HUGETEXT_RUN_MAX];

  for (size_t i = 0; i < nblocks; ++i)
    outcome[i] = HUGETEXT_FILE_SMALL;
  if (!hugetext_block_file_offset (object, geo, start, &run.offset)
      || !map_staging (&run, _dl_hugetext_text_prot (object, geo, start)))
    return;
  wake (&run, huge);

  for (size_t first = 0, last; first < run.nblocks; first = last)
    {
      for (last = first + 1; last < run.nblocks && huge[last] == huge[first];
           ++last)
        ;
      uintptr_t from = run.staging + first * geo->block;
      size_t length = (last - first) * geo->block;
      bool moved = (huge[first]
                    && _dl_hugetext_move (object, source, from, length,
                                          start + first * geo->block));
      if (!moved)
        sys_munmap (from, length);
      for (size_t i = first; i < last && huge[i]; ++i)
        outcome[i] = moved ? HUGETEXT_MADE : HUGETEXT_MOVE;
    }
}
