/* Put blocks on huge pages: the loader tries the backings (sources of huge
   pages) in turn.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For each backing, the loader maps the blocks in a staging area (an aligned
   mapping apart from the text), fills them and makes them executable.  The
   loader then moves the blocks over the text in one step, counts them towards
   the cap, and records them.  While the blocks are in the staging area, the
   loader asks the kernel whether they are huge.  An image has the same bytes
   as the text, so the loader maps an image directly over the text.  If the
   kernel does not map the image with huge pages, the loader maps the object's
   file again, and then tries the image in a staging area.

   While the loader puts blocks on huge pages, the complete text of the process
   stays mapped at every moment.  If the loader cannot make a block huge, the
   old text of the block is still mapped.  If the kernel unmaps the text but
   cannot move the block, the loader maps the text again.  If the loader cannot
   map the text again, the start or dlopen ends with an error.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The number of consecutive blocks that did not become huge after which the
   loader asks for no more huge pages.  Each request for a huge page may make
   the kernel compact memory for milliseconds.  In fragmented memory, further
   requests cost less than they gain if at least one block in three becomes
   huge.  */
#define FAILURES_MAX 3

/* Return the address of the block with number I, counted from the block at
   START.  */
static uintptr_t
block_at (const struct hugetext_job *job, uintptr_t start, size_t i)
{
  return start + i * job->state->set.geo.block;
}

/* Reserve the holes (gaps between segments) in each block of RUN that can be
   huge, unless JOB's object already has its whole range reserved.  Set
   CLAIMED[I] to true for each block I whose holes this function has
   reserved.  */
static void
claim_holes (const struct hugetext_job *job, struct hugetext_run *run,
             bool claimed[])
{
  for (size_t i = 0; i < run->nblocks; ++i)
    {
      claimed[i] = false;
      if (job->record->entry.high != 0 || run->outcome[i] != HUGETEXT_MADE)
        continue;
      claimed[i] = _dl_hugetext_claim_holes (
          run->object, block_at (job, run->start, i),
          block_at (job, run->start, i + 1));
      if (!claimed[i])
        run->outcome[i] = HUGETEXT_HOLE_TAKEN;
    }
}

/* Make the ready blocks of RUN executable, and move them over the text,
   adjacent blocks together.  */
static void
move_ready (struct hugetext_run *run)
{
  for (size_t first = 0, last; first < run->nblocks; first = last)
    {
      last = first + 1;
      if (run->outcome[first] != HUGETEXT_MADE)
        continue;
      while (last < run->nblocks && run->outcome[last] == HUGETEXT_MADE)
        ++last;
      enum hugetext_reason moved
          = (hugetext_is_copy (run->way) ? _dl_hugetext_seal (run, first, last)
                                         : HUGETEXT_MADE);
      if (moved == HUGETEXT_MADE)
        moved = _dl_hugetext_move (run, first, last);
      if (moved == HUGETEXT_MADE && !HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT))
        /* Under a filter the loader may not move mappings, so it has mapped
           each block of RUN a second time, at its final address.  Touch the
           blocks at their final addresses.  */
        for (size_t i = first; i < last; ++i)
          _dl_hugetext_touch (run->state,
                              run->start + i * run->state->set.geo.block);
      for (size_t i = first; i < last; ++i)
        run->outcome[i] = moved;
    }
}

/* Unmap what is left of RUN's staging area.  Also unmap the holes of blocks
   that did not become huge, if the holes were reserved for RUN (CLAIMED).
   Unmap nothing else: after a block was moved out of the staging area, another
   thread may have mapped memory at the block's old address.  */
static void
clean_up (const struct hugetext_run *run, const bool claimed[])
{
  uintptr_t block = run->state->set.geo.block;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (run->outcome[i] != HUGETEXT_MADE)
      {
        uintptr_t address = run->start + i * block;
        sys_munmap (_dl_hugetext_staged (run, i), block);
        if (claimed[i] && run->outcome[i] != HUGETEXT_LOST)
          _dl_hugetext_release_holes (run->object, address, address + block);
      }
  if (run->memory_file >= 0)
    _dl_hugetext_close_memory_file (run);
}

/* Answer a question of the policy: return whether FACT is true for the object
   of CLOSURE, a struct hugetext_job.  If FACT depends on the object's file or
   image, and this file or image is not open yet, open it.  */
static bool
install_answer_question (void *closure, enum hugetext_fact fact)
{
  struct hugetext_job *job = closure;
  struct hugetext_state *state = job->state;
  switch (fact)
    {
    case HUGETEXT_IS_READABLE:
      if (job->source == HUGETEXT_NOT_OPEN)
        {
          /* Close the images, because they may use up the process's
             descriptors.  */
          _dl_hugetext_close_images (state);
          job->source = _dl_hugetext_open_file (state, job->record);
        }
      return job->source >= 0;
    case HUGETEXT_HAS_IMAGE:
      if (job->stored == HUGETEXT_NOT_OPEN)
        job->stored = _dl_hugetext_open_image (state, job->record);
      return job->stored >= 0;
    default:
      return _dl_hugetext_answer (state, job->record, &job->source, fact);
    }
}

/* Set the outcome of all blocks of RUN to OUTCOME.  */
static void
set_outcome (struct hugetext_run *run, enum hugetext_reason outcome)
{
  for (size_t i = 0; i < run->nblocks; ++i)
    run->outcome[i] = outcome;
}

/* Map the image for RUN of JOB over the text, and ask the kernel whether the
   new mapping is huge.  If the new mapping is not huge, map the object's own
   file again.  */
static enum hugetext_reason
map_image (struct hugetext_job *job, struct hugetext_run *run)
{
  enum hugetext_reason mapped = _dl_hugetext_map_in_place (run);
  if (mapped == HUGETEXT_FORBIDDEN)
    _dl_hugetext_note_refusal (run);
  if (mapped != HUGETEXT_MADE || _dl_hugetext_touch_image (run))
    return mapped;
  install_answer_question (job, HUGETEXT_IS_READABLE);
  run->source = job->source;
  return _dl_hugetext_put_back (run) ? HUGETEXT_STORE_SMALL : HUGETEXT_LOST;
}

/* If the backing of RUN is "store", map the image over the text without a
   staging area, and set the outcome of the blocks.  Mapping the image directly
   over the text takes fewer system calls than a staging area, and the kernel
   tells profilers the name of the mapped file.  Map the image directly over
   the text only if the object's whole address range is reserved, including the
   holes between segments, and if the kernel reports (PAGEMAP_SCAN) that the
   process has not changed the text.  If the kernel cannot report changes of
   the text, the loader must compare the text with the blocks in a staging
   area.  Return false if the loader must use a staging area for RUN.  */
static bool
make_in_place (struct hugetext_job *job, struct hugetext_run *run)
{
  const uintptr_t end = block_at (job, run->start, run->nblocks);
  if (run->way != HUGETEXT_WAY_STORE || GLRO (dl_naudit) > 0
      || job->record->entry.high == 0 || !_dl_hugetext_unfiltered (run->state)
      || !_dl_hugetext_fits (run)
      || _dl_hugetext_scan_private (run->state, run->start, end)
             != HUGETEXT_NO)
    return false;
  const enum hugetext_reason made = map_image (job, run);
  set_outcome (run, made);
  return made != HUGETEXT_STORE_SMALL && made != HUGETEXT_NOT_PLACED;
}

/* Make the blocks of RUN of JOB huge, and set the outcome of each block.  */
static void
make_run (struct hugetext_job *job, struct hugetext_run *run)
{
  if (make_in_place (job, run))
    return;
  bool claimed[HUGETEXT_RUN_MAX];
  const size_t nblocks = run->nblocks;
  enum hugetext_reason staged
      = (hugetext_is_copy (run->way) ? _dl_hugetext_stage_copies (run)
                                     : _dl_hugetext_stage_file (run));
  if (staged != HUGETEXT_MADE)
    run->nblocks = 0;
  /* If the file is too short, _dl_hugetext_stage_file has lowered run->nblocks
     to the number of blocks in the file.  */
  for (size_t i = run->nblocks; i < nblocks; ++i)
    run->outcome[i] = staged != HUGETEXT_MADE ? staged : HUGETEXT_FILE_SMALL;
  if (staged != HUGETEXT_MADE)
    return;
  claim_holes (job, run, claimed);
  for (size_t i = 0; hugetext_is_copy (run->way) && i < run->nblocks; ++i)
    if (run->outcome[i] == HUGETEXT_MADE)
      run->outcome[i] = _dl_hugetext_fill (run, i);
  _dl_hugetext_check_text (run);
  move_ready (run);
  clean_up (run, claimed);
}

/* Return true if the memory of blocks with the backing WAY counts towards the
   limits of the process and its control group.  */
static bool
is_charged (enum hugetext_way way)
{
  return hugetext_is_copy (way) && way != HUGETEXT_WAY_HUGETLB;
}

/* Return the reason to record for a block, if the backing WAY had the result
   OUTCOME for the block.  */
static enum hugetext_reason
reason_of_try (enum hugetext_way way, enum hugetext_reason outcome)
{
  return outcome != HUGETEXT_MADE ? outcome : hugetext_huge_by (way);
}

/* *BATCH is the number of blocks that the loader is going to make huge next,
   with the backing WAY.  Lower *BATCH to the number of blocks that the cap and
   the free memory now allow.  Return HUGETEXT_MADE if at least one block is
   allowed, otherwise the reason why none is.  */
static enum hugetext_reason
permit (struct hugetext_job *job, enum hugetext_way way, size_t *batch)
{
  struct hugetext_state *state = job->state;
  struct hugetext_ledger *ledger = &state->ledger;
  if (is_charged (way))
    {
      size_t most = _dl_hugetext_ledger_copies (ledger, state->set.geo.block,
                                                state->scratch.text);
      *batch = hugetext_min (*batch, most);
      if (most == 0)
        return (ledger->copies_cap != 0
                        && ledger->used.copies >= ledger->copies_cap
                    ? HUGETEXT_OVER_COPIES
                    : HUGETEXT_NO_ROOM);
    }
  if (!hugetext_is_copy (way) || state->attempt.failures < FAILURES_MAX)
    return HUGETEXT_MADE;
  *batch = 0;
  /* For the hugetlb pool, the reason is always that the pool is empty, because
     no other failure of the pool counts towards FAILURES_MAX.  */
  return (way == HUGETEXT_WAY_HUGETLB              ? HUGETEXT_POOL_SHORT
          : state->attempt.thp_off == HUGETEXT_YES ? HUGETEXT_THP_OFF
                                                   : HUGETEXT_GAVE_UP);
}

/* Count the blocks of RUN that became huge towards the cap, in the account of
   JOB's object.  Also count the consecutive blocks that did not become huge,
   in JOB's attempt.  Return how many of the first NBLOCKS blocks of RUN were
   made huge.  */
static size_t
account (struct hugetext_job *job, const struct hugetext_run *run,
         size_t nblocks)
{
  unsigned int *failures = &job->state->attempt.failures;
  size_t made = 0;
  for (size_t i = 0; i < nblocks; ++i)
    if (run->outcome[i] == HUGETEXT_MADE)
      {
        ++made;
        if (hugetext_is_copy (run->way))
          *failures = 0;
        _dl_hugetext_ledger_take (&job->state->ledger, &job->record->charge,
                                  is_charged (run->way));
      }
    else if (run->outcome[i] == HUGETEXT_NOT_HUGE)
      ++*failures;
    else if (run->outcome[i] == HUGETEXT_THP_OFF
             || run->outcome[i] == HUGETEXT_POOL_SHORT)
      /* If huge pages are switched off, or the hugetlb pool is empty, no
         further block can become huge.  */
      *failures = FAILURES_MAX;
    else if (run->outcome[i] == HUGETEXT_LOST)
      job->record->lost = true;
  return made;
}

/* Return true if the backing WAY can provide block I of GROUP of JOB.  If WAY
   is the store, return false if the image lacks the block.  If WAY is not the
   store, always return true.  Set SIZE to the size of the image or of the
   object's file, and OFFSET to the block's offset in this file.  */
static bool
has_block (const struct hugetext_job *job, const struct hugetext_group *group,
           enum hugetext_way way, size_t i, uint64_t *size, uint64_t *offset)
{
  *size = job->record->file.size;
  *offset = block_at (job, group->first.offset, i);
  return (way != HUGETEXT_WAY_STORE
          || _dl_hugetext_image_block (job->state,
                                       block_at (job, group->first.start, i),
                                       size, offset));
}

/* Return true if OUTCOME means that a shorter run may succeed, because a limit
   or the hugetlb pool did not allow so many blocks.  */
static bool
is_too_long (enum hugetext_reason outcome)
{
  return (outcome == HUGETEXT_POOL_SHORT || outcome == HUGETEXT_NO_SPACE
          || outcome == HUGETEXT_DATA_LIMIT || outcome == HUGETEXT_SIZE_LIMIT);
}

/* Return true if JOB's object is the program, and the block at START has its
   ELF header.  A copy of this block is in core dumps, other copies are not. */
static bool
is_in_cores (const struct hugetext_job *job, uintptr_t start)
{
  return (job->record->map->l_type == lt_executable
          && hugetext_holds_header (&job->state->object, start,
                                    start + job->state->set.geo.block));
}

/* Use the backing WAY to make blocks [FIRST, END) of GROUP, a group of JOB's
   object, huge.  The function makes the blocks huge in batches.  The first
   batch of copies has one block, and each batch after a success has twice as
   many blocks as the batch before.  Because the first batches are small, the
   loader rarely asks for huge pages that the kernel does not have, and maps
   little memory in addition to the text.  Huge pages of a file are mapped in
   batches of the maximum length.  If address space is limited, every batch is
   one block, because another thread may need the remaining space.  If
   RLIMIT_DATA is set, or the loader does not know whether it is set, every
   batch of copies is one block, because another thread may need the remaining
   memory.  The copy of the block with the program's ELF header is a batch of
   its own, so that core dumps contain this copy and no other copy.  */
static void
make_by (struct hugetext_job *job, const struct hugetext_group *group,
         enum hugetext_way way, size_t first, size_t end,
         enum hugetext_reason reason[])
{
  struct hugetext_attempt *attempt = &job->state->attempt;
  const bool scarce = (attempt->no_slack
                       || (attempt->little_data && hugetext_is_copy (way)));
  const size_t most = scarce ? 1 : HUGETEXT_RUN_MAX;
  size_t batch = (hugetext_is_copy (way)
                      ? hugetext_max (hugetext_min (attempt->batch, most), 1)
                      : most);

  for (size_t n; first < end && !job->record->lost; first += n)
    {
      const uintptr_t start = block_at (job, group->first.start, first);
      n = hugetext_min (batch, end - first);
      if (hugetext_is_copy (way) && is_in_cores (job, start))
        n = 1;
      enum hugetext_reason why = permit (job, way, &n);
      if (n == 0)
        {
          for (; first < end; ++first)
            reason[first] = why;
          return;
        }
      struct hugetext_run run
          = { .state = job->state,
              .object = &job->state->object,
              .way = way,
              .program = job->record->map->l_type == lt_executable,
              .kept = &job->record->kept,
              .source = job->source,
              .start = start,
              .nblocks = n,
              .file = way == HUGETEXT_WAY_STORE ? job->stored : job->source,
              .memory_file = -1,
              .prot = group->prot };
      has_block (job, group, way, first, &run.size, &run.offset);
      make_run (job, &run);
      if (is_too_long (run.outcome[0]) && n > 1)
        {
          /* A resource limit or the hugetlb pool does not allow this batch,
             but may allow half of its blocks, so try a smaller batch.  */
          batch = n / 2;
          n = 0;
          continue;
        }
      if (way == HUGETEXT_WAY_FILE)
        job->reopened = !run.kept_used;
      for (size_t i = 0; i < n; ++i)
        reason[first + i] = reason_of_try (way, run.outcome[i]);
      /* If all blocks of the batch have become huge, the next batch is longer.
         If a block of a batch of copies has stayed small, the next batch is
         one block.  */
      if (account (job, &run, n) == n)
        batch = hugetext_min (2 * batch, most);
      else if (hugetext_is_copy (way))
        batch = 1;
      if (hugetext_is_copy (way))
        attempt->batch = batch;
    }
}

/* Make the blocks of GROUP that are still small huge, with the backing WAY.
   GROUP is a group of JOB's object.  If WAY is the store, skip blocks without
   an image.  */
static void
make_missing (struct hugetext_job *job, const struct hugetext_group *group,
              enum hugetext_way way, enum hugetext_reason reason[])
{
  uint64_t size, offset;
  for (size_t i = 0, end; i < group->nblocks && !job->record->lost;
       i = end + 1)
    {
      end = i;
      while (end < group->nblocks && !hugetext_is_made (reason[end])
             && has_block (job, group, way, end, &size, &offset))
        ++end;
      make_by (job, group, way, i, end, reason);
      if (end < group->nblocks && !hugetext_is_made (reason[end]))
        reason[end] = HUGETEXT_NOT_STORED;
    }
}

/* Return true if at least one of the N blocks whose reasons are in REASON is
   not huge yet.  */
static bool
is_missing (const enum hugetext_reason reason[], size_t n)
{
  for (size_t i = 0; i < n; ++i)
    if (!hugetext_is_made (reason[i]))
      return true;
  return false;
}

enum hugetext_reason
_dl_hugetext_find_cause (const struct hugetext_job *job,
                         enum hugetext_reason reason)
{
  const struct hugetext_attempt *attempt = &job->state->attempt;
  switch (reason)
    {
    case HUGETEXT_NOT_HUGE:
    case HUGETEXT_THP_OFF:
    case HUGETEXT_GAVE_UP:
      /* PR_SET_THP_DISABLE has no effect on pages of the hugetlb pool.  */
      return (attempt->thp_disabled
                      && !hugetext_takes_pool (job->state->set.backing)
                  ? HUGETEXT_THP_DISABLED
                  : reason);
    case HUGETEXT_FILTERED:
      return (!attempt->told                      ? HUGETEXT_UNTOLD
              : attempt->refused != HUGETEXT_NONE ? attempt->refused
                                                  : reason);
    case HUGETEXT_NOT_CONGRUENT:
      /* The loader chooses an address congruent to the object's file only if
         the file has huge pages.  */
      if (!job->record->file_ruled_out)
        return reason;
      /* Fall through.  */
    case HUGETEXT_FILE_SMALL:
    case HUGETEXT_STORE_SMALL:
      /* Under a filter, only madvise shows whether a block of a file is
         huge.  */
      return (attempt->refused == HUGETEXT_NO_MADVISE ? attempt->refused
                                                      : reason);
    case HUGETEXT_TRACED:
      return attempt->told ? reason : HUGETEXT_UNTOLD;
    default:
      return reason;
    }
}

/* Return the facts that decide which backings may be tried for GROUP of
   JOB.  */
static struct hugetext_wish
install_describe_group (struct hugetext_job *job,
                        const struct hugetext_group *group)
{
  return (struct hugetext_wish){
    .choice = job->state->set.backing,
    .images = job->state->set.has.images,
    .congruent = group->first.congruent,
    .file_ruled_out = (job->record->file_ruled_out || group->not_in_file),
    .unstored = group->unstored,
    .name = group->name,
    .spare = group->spare && !job->named,
    .cold = group->cold,
    .little = group->little,
    .ask = install_answer_question,
    .closure = job,
  };
}

/* Return true if the loader may try the backing WAY for the blocks that WISH
   describes.  Set WHY as hugetext_may_try does.  */
static bool
install_may_try_backing (const struct hugetext_wish *wish,
                         enum hugetext_way way, enum hugetext_reason *why)
{
  const bool may = hugetext_may_try (wish, way, why);
  if (!may && *why == HUGETEXT_PROTECT
      && !HUGETEXT_ALLOWED (HUGETEXT_ANY_ARGUMENT))
    *why = HUGETEXT_FILTERED;
  return may;
}

bool
_dl_hugetext_is_free (struct hugetext_job *job,
                      const struct hugetext_group *group)
{
  const struct hugetext_wish wish = install_describe_group (job, group);
  return hugetext_is_free (&wish);
}

enum hugetext_reason
_dl_hugetext_judge_backings (struct hugetext_job *job,
                             const struct hugetext_group *group)
{
  const struct hugetext_wish wish = install_describe_group (job, group);
  enum hugetext_reason last = HUGETEXT_NOT_OPENED, why;
  for (enum hugetext_way way = 0; way < HUGETEXT_WAYS; ++way)
    if (install_may_try_backing (&wish, way, &why))
      return HUGETEXT_TAKE;
    else if (why != HUGETEXT_MADE)
      last = why;
  return _dl_hugetext_find_cause (job, last);
}

/* REASON is the reason of a block.  Return how the text of this block is
   mapped.  */
static enum hugetext_text_mapping
mapping_of (enum hugetext_reason reason)
{
  return (!hugetext_is_made (reason) ? HUGETEXT_PLAIN_TEXT
          : hugetext_way_of (reason) == HUGETEXT_WAY_FILE
              ? HUGETEXT_FILE_TEXT
              : HUGETEXT_OTHER_TEXT);
}

void
_dl_hugetext_install (struct hugetext_job *job,
                      const struct hugetext_group *group)
{
  enum hugetext_reason reason[HUGETEXT_RUN_MAX];
  const struct hugetext_wish wish = install_describe_group (job, group);

  for (size_t i = 0; i < group->nblocks; ++i)
    reason[i] = HUGETEXT_NOT_OPENED;
  for (enum hugetext_way way = 0; way < HUGETEXT_WAYS && !job->record->lost
                                  && is_missing (reason, group->nblocks);
       ++way)
    {
      enum hugetext_reason why;
      if (install_may_try_backing (&wish, way, &why))
        make_missing (job, group, way, reason);
      else
        for (size_t i = 0; i < group->nblocks; ++i)
          if (why != HUGETEXT_MADE && !hugetext_is_made (reason[i]))
            reason[i] = why;
    }
  size_t small = 0;
  for (size_t i = 0; i < group->nblocks; ++i)
    {
      small += (reason[i] == HUGETEXT_FILE_SMALL
                || reason[i] == HUGETEXT_STORE_SMALL);
      job->named |= (!hugetext_is_made (reason[i])
                     || hugetext_way_of (reason[i]) == HUGETEXT_WAY_FILE);
      const uintptr_t start = block_at (job, group->first.start, i);
      _dl_hugetext_join_text (job, start, start + job->state->set.geo.block,
                              mapping_of (reason[i]));
      _dl_hugetext_note_reason (job, start,
                                _dl_hugetext_find_cause (job, reason[i]));
    }
  hugetext_ranking_return (&job->state->ranking, small);
}
