/* The trial: find out by trying whether the text of an object can be on huge
   pages of the object's own file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader makes the trial before it accesses the object, because the first
   access to the object's data makes the kernel read megabytes around it in
   small pages.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Set BLOCK to the first block at or above FROM that can be a huge page of the
   file of SITE's object, at the object's present load bias.  If WARM, skip
   blocks that are known to be cold.  */
static bool
next_file_block (const struct hugetext_site *site, bool warm, uintptr_t from,
                 struct hugetext_block *block)
{
  uintptr_t at;
  for (; hugetext_next_block (site->object, site->geo, from, &at);
       from = at + site->geo->block)
    {
      struct hugetext_block judged = hugetext_block_judge (
          site->object, site->geo, site->pad_threshold, at);
      if (judged.verdict != HUGETEXT_TAKE || !judged.congruent
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
   RECORD's file.  FD is the open file.  The trial and the later steps use the
   same mapping, so that each block is mapped and faulted in only once.  Map
   this range only during a start, and only if address space is unlimited.  A
   running program may have locked all future mappings in memory (mlockall).
   If all mappings are locked, the limit of locked memory must suffice for the
   libraries that the program still opens.  */
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
  for (uintptr_t from = 0; next_file_block (site, false, from, &block);
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

/* Make the kernel cache N blocks, at most HUGETEXT_RUN_MAX, from OFFSET of
   RECORD's file as huge pages.  Blocks that are not cached are read from the
   disk.  FD is the open file.  Return how many of the blocks are huge.  */
static size_t
cache_huge (struct hugetext_state *state, int fd,
            const struct hugetext_record *record, uint64_t offset, size_t n)
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
  else if (_dl_hugetext_map_file (&run) != HUGETEXT_MADE)
    return 0;
  _dl_hugetext_cache_run (&run);
  if (!mapped)
    sys_munmap (run.staging, run.nblocks * size);
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
  /* Try the second block, because the loader has already read a part of the
     first block.  If the second block is small, perhaps only because the
     kernel is still reading it, try the third block.  */
  for (uintptr_t from = 0;
       n < 3 && next_file_block (site, false, from, &block);
       from = block.start + size, ++n)
    if (n > 0 && cache_huge (state, fd, record, block.offset, 1) == 1)
      return true;
  return n == 1 && cache_huge (state, fd, record, block.offset, 1) == 1;
}

bool
_dl_hugetext_cache_file (struct hugetext_state *state, int fd,
                         struct hugetext_record *record,
                         const struct hugetext_site *site)
{
  size_t size = site->geo->block, n = 0, total = 0, cached = 0;
  struct hugetext_block block;
  uint64_t first = 0;
  for (uintptr_t from = 0;
       _dl_hugetext_ledger_blocks (&state->ledger, total + 1) > total
       && next_file_block (site, true, from, &block);
       from = block.start + size, ++total)
    {
      if (n > 0 && (block.offset != first + n * size || n == HUGETEXT_RUN_MAX))
        {
          cached += cache_huge (state, fd, record, first, n);
          n = 0;
        }
      if (n++ == 0)
        first = block.offset;
    }
  if (n > 0)
    cached += cache_huge (state, fd, record, first, n);
  return cached == total;
}
