/* The trial: the loader tries to put the text of an object on huge pages of
   the object's own file, to find out whether this is possible.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader makes the trial before it accesses the object, because the first
   access to the object's data makes the kernel read megabytes around it in
   small pages.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-ways.h"
#include "dl-hugetext-work.h"

/* Return true if RECORD's file ends inside the block at OFFSET.  The kernel
   has no huge page for a block in which a file ends.  If the size of the file
   is unknown, return false.  */
static bool
is_cut (const struct hugetext_record *record,
        const struct hugetext_geometry *geo, uint64_t offset)
{
  const uint64_t end
      = (record->file.size + geo->page - 1) & -(uint64_t) geo->page;
  return record->file.inode != 0 && offset + geo->block > end;
}

/* RECORD's file is the file of SITE's object.  Set BLOCK to the first block at
   or above FROM that can be a huge page of this file if the object keeps its
   present load bias.  If WARM is true, skip blocks that the execution profile
   shows to be cold.  */
static bool
next_file_block (const struct hugetext_site *site,
                 const struct hugetext_record *record, bool warm,
                 uintptr_t from, struct hugetext_block *block)
{
  uintptr_t at;
  for (; hugetext_next_block (site->object, site->geo, from, &at);
       from = at + site->geo->block)
    {
      struct hugetext_block judged = hugetext_block_judge (
          site->object, site->geo, site->pad_threshold, at);
      if (judged.verdict != HUGETEXT_TAKE || !judged.congruent
          || is_cut (record, site->geo, judged.offset)
          || (warm
              && hugetext_block_heat (site->object, site->geo, &site->heat, at)
                     == 0))
        continue;
      *block = judged;
      return true;
    }
  return false;
}

/* Return a run of N blocks that begins at OFFSET of RECORD's file.  FD is the
   open file.  */
static struct hugetext_run
run_of (struct hugetext_state *state, int fd,
        const struct hugetext_record *record, uint64_t offset, size_t n)
{
  return (struct hugetext_run){ .state = state,
                                .way = HUGETEXT_WAY_FILE,
                                .nblocks = n,
                                .prot = PROT_READ | PROT_EXEC,
                                .file = fd,
                                .size = record->file.size,
                                .offset = offset };
}

/* Map the longest range of SITE's object whose blocks can be huge pages of
   RECORD's file.  FD is the open file.  The range stays mapped after the
   trial, and the loader later moves its blocks over the text, so that each
   block is mapped and faulted in only once.  Map nothing if address space may
   be limited.  Map nothing if the program is already running, because the
   program may have called mlockall: then the range would count towards the
   limit of locked memory, which the program may need for libraries.  */
static void
keep_file (struct hugetext_state *state, int fd,
           struct hugetext_record *record, const struct hugetext_site *site)
{
  const size_t size = site->geo->block;
  struct hugetext_block block;
  uint64_t first = 0, longest = 0;
  size_t n = 0, most = 0;
  if (!state->attempt.start || state->attempt.no_slack)
    return;
  for (uintptr_t from = 0; next_file_block (site, record, false, from, &block);
       from = block.start + size)
    {
      if (n == 0 || block.offset != first + n * size)
        {
          first = block.offset;
          n = 0;
        }
      if (++n > most)
        {
          longest = first;
          most = n;
        }
    }
  struct hugetext_run run = run_of (state, fd, record, longest, most);
  if (most > 0 && _dl_hugetext_map_file (&run) == HUGETEXT_MADE)
    record->kept
        = (struct hugetext_kept){ run.staging, run.nblocks, run.offset };
}

/* Note in RECORD which of the N blocks of RUN are small, because the page
   cache may hold only a part of a file in huge pages.  */
static void
trial_note_small_blocks (struct hugetext_record *record,
                         const struct hugetext_run *run, size_t n)
{
  const uint64_t first = run->offset / run->state->set.geo.block;
  for (size_t i = 0; i < n && first + i < 64; ++i)
    {
      const uint64_t bit = UINT64_C (1) << (first + i);
      record->small_in_file
          = (record->small_in_file & ~bit) | (run->huge[i] ? 0 : bit);
    }
}

bool
_dl_hugetext_is_small_in_file (const struct hugetext_record *record,
                               const struct hugetext_geometry *geo,
                               uint64_t offset)
{
  const uint64_t block = offset / geo->block;
  return (is_cut (record, geo, offset)
          || (block < 64 && (record->small_in_file >> block & 1) != 0));
}

/* Make the kernel cache as huge pages the N blocks of RECORD's file that begin
   at OFFSET.  N is at most HUGETEXT_RUN_MAX.  Blocks that are not cached are
   read from the disk.  FD is the open file.  Note in RECORD which blocks are
   small.  Return how many of the blocks are huge.  */
static size_t
cache_huge (struct hugetext_state *state, int fd,
            struct hugetext_record *record, uint64_t offset, size_t n)
{
  const struct hugetext_kept *kept = &record->kept;
  const size_t size = state->set.geo.block;
  struct hugetext_run run = run_of (state, fd, record, offset, n);
  const bool mapped
      = (offset >= kept->offset
         && offset + n * size <= kept->offset + kept->nblocks * size);
  if (mapped)
    {
      run.staging = kept->staging + (offset - kept->offset);
      run.evidence = HUGETEXT_IS_FILE;
    }
  else
    {
      const enum hugetext_reason reason = _dl_hugetext_map_file (&run);
      if (reason == HUGETEXT_FILE_SMALL)
        trial_note_small_blocks (record, &run, n);
      if (reason != HUGETEXT_MADE)
        return 0;
    }
  _dl_hugetext_cache_run (&run);
  if (!mapped)
    sys_munmap (run.staging, run.nblocks * size);
  /* A block in which the file ends is not in RUN, because the kernel has no
     huge page for such a block.  */
  trial_note_small_blocks (record, &run, n);
  size_t huge = 0;
  for (size_t i = 0; i < run.nblocks; ++i)
    huge += run.huge[i];
  return huge;
}

bool
_dl_hugetext_try_file (struct hugetext_state *state, int fd,
                       struct hugetext_record *record,
                       const struct hugetext_site *site)
{
  const uintptr_t size = site->geo->block;
  struct hugetext_block block;
  size_t n = 0;
  keep_file (state, fd, record, site);
  /* Test whether the second block that can be a huge page of the file is
     cached as a huge page.  Do not test the first block, because the loader
     has already read a part of it.  If the second block is small, test the
     third block that can be a huge page of the file, because the kernel may
     still be reading the second block.  */
  for (uintptr_t from = 0;
       n < 3 && next_file_block (site, record, false, from, &block);
       from = block.start + size, ++n)
    if (n > 0 && cache_huge (state, fd, record, block.offset, 1) == 1)
      return true;
  return n == 1 && cache_huge (state, fd, record, block.offset, 1) == 1;
}

/* The kernel has already cached HUGE blocks as huge pages for this trial.
   Find the adjacent blocks of RECORD's file that the trial should cache next,
   and return their number.  Begin the search at the address *FROM in SITE's
   object.  Set *OFFSET to the file offset of the first block to cache, and
   *FROM to the end of the last.  Return 0 if the cap allows no more blocks, or
   if the object has no more.  */
static size_t
next_blocks (struct hugetext_state *state,
             const struct hugetext_record *record,
             const struct hugetext_site *site, size_t huge, uintptr_t *from,
             uint64_t *offset)
{
  const size_t size = site->geo->block;
  struct hugetext_block block;
  size_t n = 0;
  while (n < HUGETEXT_RUN_MAX
         && hugetext_asks_cache (
             _dl_hugetext_ledger_blocks (&state->ledger, huge + n + 1),
             huge + n, 0)
         && next_file_block (site, record, true, *from, &block)
         && (n == 0 || block.offset == *offset + n * size))
    {
      if (n++ == 0)
        *offset = block.offset;
      *from = block.start + size;
    }
  return n;
}

bool
_dl_hugetext_cache_file (struct hugetext_state *state, int fd,
                         struct hugetext_record *record,
                         const struct hugetext_site *site)
{
  size_t n, huge = 0, small = 0;
  uintptr_t from = 0;
  uint64_t offset = 0;
  /* Stop caching blocks when the number of huge blocks, or the number of
     blocks that have stayed small, reaches the number of huge blocks that the
     cap allows.  */
  while (
      hugetext_asks_cache (_dl_hugetext_ledger_blocks (
                               &state->ledger, hugetext_max (huge, small) + 1),
                           huge, small)
      && (n = next_blocks (state, record, site, huge, &from, &offset)) > 0)
    {
      const size_t made = cache_huge (state, fd, record, offset, n);
      huge += made;
      small += n - made;
    }
  return small == 0;
}
