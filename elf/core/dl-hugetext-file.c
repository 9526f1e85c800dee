/* The backings "file" and "store": huge pages of the object's own file, or of
   its image in the store.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   With the backings "file" and "store", the loader copies no text: the page
   cache holds the huge pages, and all processes share them.  Whether the page
   cache holds huge pages of a file depends on the filesystem and on how the
   file was read.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Advise the kernel to use huge pages in the staging area of RUN.  Return
   false if the kernel says that the staging area cannot have huge pages.  */
static bool
advise (const struct hugetext_run *run)
{
  /* Without MADV_RANDOM the kernel reads ahead in the background, in small
     pages.  With MADV_RANDOM the kernel reads only the block that is touched.
     MADV_HUGEPAGE and MADV_RANDOM stay in effect after the start: if the
     kernel evicts a block, and the program later makes the kernel read the
     block again, the kernel follows the advice.  */
  const size_t length = run->nblocks * run->state->set.geo.block;
  return (!sys_failed (sys_madvise (run->staging, length, MADV_HUGEPAGE))
          && !sys_failed (sys_madvise (run->staging, length, MADV_RANDOM)));
}

/* Join the mapping of the text of JOB's object from START to END with that of
   adjacent huge pages of the file.  If the kernel refuses a step, or if the
   text would have to be mapped again but may have a breakpoint, the text keeps
   a mapping of its own.  Under a filter, the loader gives the kernel no advice
   about huge pages of the file.  */
static void
file_join_mappings (const struct hugetext_job *job, uintptr_t start,
                    uintptr_t end)
{
  struct hugetext_state *state = job->state;
  struct hugetext_piece piece;
  const bool advised = _dl_hugetext_may (state, HUGETEXT_ANY_ARGUMENT);
  for (; !job->record->lost
         && hugetext_next_piece (&state->object, start, end, &piece);
       start = piece.end)
    {
      const size_t length = piece.end - piece.start;
      if (!hugetext_is_text (piece.segment)
          || (job->reopened
              && _dl_hugetext_has_private (state, piece.start, piece.end)
                     != HUGETEXT_NO))
        continue;
      if (job->reopened
          && !_dl_hugetext_map_again (state, job->source, &piece))
        job->record->lost = true;
      else if (advised
               && !sys_failed (
                   sys_madvise (piece.start, length, MADV_HUGEPAGE)))
        sys_madvise (piece.start, length, MADV_RANDOM);
    }
}

void
_dl_hugetext_join_text (struct hugetext_job *job, uintptr_t start,
                        uintptr_t end, enum hugetext_text_mapping mapping)
{
  const bool plain = mapping == HUGETEXT_PLAIN_TEXT;
  if (plain && job->joined)
    file_join_mappings (job, start, end);
  if (mapping == HUGETEXT_FILE_TEXT && !job->joined)
    file_join_mappings (job, job->plain, start);
  if (!plain)
    {
      job->joined = mapping == HUGETEXT_FILE_TEXT;
      job->plain = end;
    }
}

/* Return how many of RUN's blocks are completely inside the file.  */
static size_t
count_fitting (const struct hugetext_run *run)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  uint64_t end = (run->size + geo->page - 1) & -(uint64_t) geo->page;
  size_t fit = end > run->offset ? (end - run->offset) / geo->block : 0;
  return hugetext_min (run->nblocks, fit);
}

enum hugetext_reason
_dl_hugetext_map_file (struct hugetext_run *run)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  run->nblocks = count_fitting (run);
  if (run->nblocks == 0)
    return HUGETEXT_FILE_SMALL;

  /* Under a seccomp filter, map the staging area without execute permission,
     because the stock loader maps executable text only over address space that
     it has reserved before (MAP_FIXED).  */
  size_t length = run->nblocks * geo->block;
  const bool free = _dl_hugetext_may (run->state, HUGETEXT_ANY_ARGUMENT);
  long int staging = _dl_hugetext_map_aligned (
      geo, length, free ? run->prot : PROT_READ, MAP_PRIVATE | MAP_DENYWRITE,
      run->file, run->offset);
  if (_dl_hugetext_is_refusal (staging))
    {
      _dl_hugetext_note_refusal (run);
      return HUGETEXT_FORBIDDEN;
    }
  if (sys_failed (staging))
    return HUGETEXT_NO_SPACE;
  run->staging = staging;
  run->evidence = HUGETEXT_IS_FILE;
  if (!free || advise (run))
    return HUGETEXT_MADE;
  sys_munmap (staging, length);
  return HUGETEXT_FILE_SMALL;
}

/* The trial (dl-hugetext-trial.c) may have left blocks of the object's file
   mapped.  If these include all blocks of RUN, use their mapping as RUN's
   staging area, and return true.  In this case, also unmap the blocks of the
   trial at lower addresses.  Otherwise return false.  */
static bool
take_kept (struct hugetext_run *run)
{
  const uintptr_t block = run->state->set.geo.block;
  struct hugetext_kept *kept = run->kept;
  /* The trial has mapped the blocks readable and executable, like most text.
     If the text of RUN must not be readable, or needs PROT_BTI, the trial's
     mapping is of no use.  */
  if (kept == NULL || run->way != HUGETEXT_WAY_FILE
      || run->prot != (PROT_READ | PROT_EXEC) || run->offset < kept->offset
      || !_dl_hugetext_may (run->state, HUGETEXT_ANY_ARGUMENT))
    return false;
  const uint64_t before = (run->offset - kept->offset) / block;
  if (before * block != run->offset - kept->offset
      || before + run->nblocks > kept->nblocks)
    return false;
  if (before > 0)
    sys_munmap (kept->staging, before * block);
  run->staging = kept->staging + before * block;
  run->evidence = HUGETEXT_IS_FILE;
  const size_t used = before + run->nblocks;
  kept->staging += used * block;
  kept->offset += used * block;
  kept->nblocks -= used;
  return true;
}

/* Touch one page of each block of RUN, the last block first, until an access
   fails.  For an image, touch all blocks with one system call
   (MADV_POPULATE_READ).  The page cache almost always holds images in huge
   pages, and the kernel maps a huge page in one step.  */
static void
file_touch_blocks (const struct hugetext_run *run)
{
  if (run->way == HUGETEXT_WAY_STORE
      && !sys_failed (sys_madvise (run->staging,
                                   run->nblocks * run->state->set.geo.block,
                                   MADV_POPULATE_READ)))
    return;
  for (size_t i = run->nblocks; i-- > 0;)
    if (!_dl_hugetext_touch (run->state, _dl_hugetext_staged (run, i)))
      break;
}

bool
_dl_hugetext_fits (const struct hugetext_run *run)
{
  return count_fitting (run) == run->nblocks;
}

bool
_dl_hugetext_touch_image (struct hugetext_run *run)
{
  if (!advise (run))
    return false;
  file_touch_blocks (run);
  return _dl_hugetext_is_huge (run);
}

void
_dl_hugetext_cache_run (struct hugetext_run *run)
{
  const bool own = run->way == HUGETEXT_WAY_FILE;
  /* Only ld-hugetext uses images, so the loader may evict every block of an
     image, and read it again.  */
  for (size_t i = 0; i < run->nblocks; ++i)
    run->just_read[i] = !own;
  if (!own || !_dl_hugetext_touch_counting (run))
    file_touch_blocks (run);
  if (!_dl_hugetext_is_huge (run))
    _dl_hugetext_retry_file (run);
}

enum hugetext_reason
_dl_hugetext_stage_file (struct hugetext_run *run)
{
  /* The trial (dl-hugetext-trial.c) has already touched the blocks that it has
     left mapped, except cold (rarely executed) blocks and blocks beyond the
     cap.  */
  const bool kept = run->kept_used = take_kept (run);
  const enum hugetext_reason mapped
      = kept ? HUGETEXT_MADE : _dl_hugetext_map_file (run);
  if (mapped != HUGETEXT_MADE)
    return mapped;
  if (!kept || !_dl_hugetext_is_huge (run))
    _dl_hugetext_cache_run (run);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->outcome[i] = (run->huge[i]                    ? HUGETEXT_MADE
                       : run->way == HUGETEXT_WAY_FILE ? HUGETEXT_FILE_SMALL
                                                       : HUGETEXT_STORE_SMALL);
  return HUGETEXT_MADE;
}
