/* The installation of blocks on huge pages: the backings are tried in turn.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All backings go the same way: blocks are staged (the kernel is asked whether
   they are huge), filled, sealed, moved over the text in one step, charged,
   and recorded.  The text is never missing and never half copied.  After a
   failure the old text is still in place; if the kernel itself loses the text
   in a move, it is mapped again, and if that fails, too, the start or dlopen
   ends with an error.  */

#include "dl-hugetext-install.h"
#include "dl-hugetext-backing.h"
#include "dl-hugetext-chain.h"
#include "dl-hugetext-place.h"
#include "dl-hugetext-sys.h"

/* The number of blocks without a huge page after which the rest is not tried:
   each trial may make the kernel compact memory, for milliseconds.  */
#define FAILURES_MAX 3

static uintptr_t
block_at (const struct hugetext_job *job, uintptr_t start, size_t i)
{
  return start + i * job->set->geo.block;
}

/* Claim the holes of the blocks of RUN that can be made, unless the holes are
   JOB's.  CLAIMED says which blocks' holes have been claimed.  */
static void
claim_holes (const struct hugetext_job *job, struct hugetext_run *run,
             bool claimed[])
{
  for (size_t i = 0; i < run->nblocks; ++i)
    {
      claimed[i] = (!job->owns_holes && run->outcome[i] == HUGETEXT_MADE
                    && _dl_hugetext_claim_holes (
                        job->object, block_at (job, run->start, i),
                        block_at (job, run->start, i + 1)));
      if (!job->owns_holes && run->outcome[i] == HUGETEXT_MADE && !claimed[i])
        run->outcome[i] = HUGETEXT_HOLE_TAKEN;
    }
}

/* Seal the blocks of RUN that are ready, and move them over the text,
   neighbours together.  */
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
      enum hugetext_outcome moved
          = (hugetext_is_copy (run->way) ? _dl_hugetext_seal (run, first, last)
                                         : HUGETEXT_MADE);
      if (moved == HUGETEXT_MADE)
        moved = _dl_hugetext_move (run, first, last);
      for (size_t i = first; i < last; ++i)
        run->outcome[i] = moved;
    }
}

/* Unmap the rest of RUN's staging area, and the holes CLAIMED for blocks that
   were not made.  Unmap nothing else: other threads may have mapped memory
   where a block was moved away.  */
static void
clean_up (const struct hugetext_run *run, const bool claimed[])
{
  uintptr_t block = run->attempt->geo.block;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (run->outcome[i] != HUGETEXT_MADE)
      {
        uintptr_t address = run->start + i * block;
        sys_munmap (_dl_hugetext_staged (run, i), block);
        if (claimed[i] && run->outcome[i] != HUGETEXT_LOST)
          _dl_hugetext_release_holes (run->object, address, address + block);
      }
  if (run->memory_file >= 0)
    sys_close (run->memory_file);
}

/* Make RUN of JOB, and set the outcome of each of its blocks.  */
static void
make_run (struct hugetext_job *job, struct hugetext_run *run)
{
  bool claimed[HUGETEXT_RUN_MAX];
  const size_t nblocks = run->nblocks;
  enum hugetext_outcome staged
      = (hugetext_is_copy (run->way) ? _dl_hugetext_stage_copies (run)
                                     : _dl_hugetext_stage_file (run));
  if (staged != HUGETEXT_MADE)
    run->nblocks = 0;
  /* The file may be too short for some blocks.  */
  for (size_t i = run->nblocks; i < nblocks; ++i)
    run->outcome[i] = staged != HUGETEXT_MADE ? staged : HUGETEXT_FILE_SMALL;
  if (staged != HUGETEXT_MADE)
    return;
  claim_holes (job, run, claimed);
  for (size_t i = 0; i < run->nblocks && run->way != HUGETEXT_WAY_FILE; ++i)
    if (run->outcome[i] == HUGETEXT_MADE)
      run->outcome[i] = _dl_hugetext_fill (run, i);
  move_ready (run);
  clean_up (run, claimed);
}

/* Whether blocks of WAY take memory that limits count.  */
static bool
is_charged (enum hugetext_way way)
{
  return hugetext_is_copy (way) && way != HUGETEXT_WAY_HUGETLB;
}

/* Set BATCH, the number of blocks of WAY to be made next, to how many of them
   JOB may make now.  If that is 0, return why.  */
static enum hugetext_outcome
permit (struct hugetext_job *job, enum hugetext_way way, size_t *batch)
{
  if (is_charged (way))
    {
      size_t most = _dl_hugetext_ledger_copies (
          job->ledger, job->set->geo.block, job->attempt->scratch->text);
      *batch = hugetext_min (*batch, most);
      if (most == 0)
        return (job->ledger->copies_cap != 0
                        && job->ledger->used.copies >= job->ledger->copies_cap
                    ? HUGETEXT_OVER_COPIES
                    : HUGETEXT_NO_ROOM);
    }
  if (!hugetext_is_copy (way) || job->attempt->failures < FAILURES_MAX)
    return HUGETEXT_MADE;
  *batch = 0;
  return (job->attempt->thp_off == HUGETEXT_YES ? HUGETEXT_THP_OFF
                                                : HUGETEXT_GAVE_UP);
}

/* Charge and record what has become of NBLOCKS blocks of JOB from START, which
   were tried by WAY, the LAST of its chain or not.  Return how many are
   made.  */
static size_t
account (struct hugetext_job *job, enum hugetext_way way, bool last,
         uintptr_t start, size_t nblocks,
         const enum hugetext_outcome outcome[])
{
  size_t made = 0;
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] == HUGETEXT_MADE)
      {
        ++made;
        _dl_hugetext_ledger_take (job->ledger, job->charge, is_charged (way));
        _dl_hugetext_note_fate (job, block_at (job, start, i),
                                (hugetext_is_copy (way) ? HUGETEXT_FATE_COPY
                                 : way == HUGETEXT_WAY_STORE
                                     ? HUGETEXT_FATE_STORE
                                     : HUGETEXT_FATE_FILE));
      }
    else if (outcome[i] == HUGETEXT_NOT_HUGE)
      job->attempt->failures += last;
    else if (outcome[i] == HUGETEXT_THP_OFF
             || outcome[i] == HUGETEXT_POOL_SHORT)
      /* Do not ask again.  */
      job->attempt->failures = FAILURES_MAX;
    else if (outcome[i] == HUGETEXT_LOST)
      job->lost = true;
  return made;
}

/* Make the NBLOCKS blocks of JOB from START, at OFFSET of their file, by WAY.
   Copies are made in batches, first of one block, then of as many blocks as
   have been made: so the loader asks for few huge pages that it cannot have,
   and maps little beside the text at a time.  The file's own pages are made
   all at once.  */
static void
make_by (struct hugetext_job *job, enum hugetext_way way, bool last,
         uintptr_t start, size_t nblocks, uint64_t offset,
         enum hugetext_outcome outcome[])
{
  size_t batch = hugetext_is_copy (way) ? 1 : nblocks;

  for (size_t done = 0, n; done < nblocks; done += n)
    {
      n = hugetext_min (batch, nblocks - done);
      enum hugetext_outcome why = permit (job, way, &n);
      if (n == 0)
        {
          for (size_t i = done; i < nblocks; ++i)
            outcome[i] = why;
          return;
        }
      struct hugetext_run run
          = { .attempt = job->attempt,
              .object = job->object,
              .way = way,
              .program = job->l->l_type == lt_executable,
              .source = job->source,
              .start = block_at (job, start, done),
              .nblocks = n,
              .offset = block_at (job, offset, done),
              .file = way == HUGETEXT_WAY_STORE ? job->stored : job->source,
              .size = job->image->image.size,
              .memory_file = -1,
              .prot
              = _dl_hugetext_text_prot (job->object, &job->set->geo, start) };
      make_run (job, &run);
      if (run.outcome[0] == HUGETEXT_POOL_SHORT && n > 1)
        {
          /* The pool may have enough for half of the batch.  */
          batch = n / 2;
          n = 0;
          continue;
        }
      for (size_t i = 0; i < n; ++i)
        outcome[done + i] = run.outcome[i];
      if (account (job, way, last, run.start, n, run.outcome) == n)
        batch = hugetext_min (2 * batch, HUGETEXT_RUN_MAX);
    }
}

/* Whether WAY can have the block of JOB at START; sets OFFSET to the block's
   offset in the image if WAY is the store.  */
static bool
has_block (const struct hugetext_job *job, enum hugetext_way way,
           uintptr_t start, uint64_t *offset)
{
  return (
      way != HUGETEXT_WAY_STORE
      || hugetext_image_block (job->image, start - job->object->bias, offset));
}

/* Make the missing ones of the NBLOCKS blocks of JOB from START by the ways of
   CHAIN, one after the other.  Return whether some are missing in the end.  */
static bool
make_missing (struct hugetext_job *job, const struct hugetext_chain *chain,
              uintptr_t start, size_t nblocks, uint64_t offset,
              enum hugetext_outcome outcome[])
{
  bool missing = true;
  for (size_t k = 0; k < chain->n && missing; ++k)
    {
      missing = false;
      for (size_t i = 0, end; i < nblocks && !job->lost; i = end)
        {
          uint64_t first = block_at (job, offset, i), next;
          end = i + 1;
          if (outcome[i] == HUGETEXT_MADE)
            continue;
          if (!has_block (job, chain->way[k], block_at (job, start, i),
                          &first))
            {
              outcome[i] = HUGETEXT_NOT_STORED;
              missing = true;
              continue;
            }
          while (end < nblocks && outcome[end] != HUGETEXT_MADE
                 && has_block (job, chain->way[k], block_at (job, start, end),
                               &next))
            ++end;
          make_by (job, chain->way[k], k + 1 == chain->n,
                   block_at (job, start, i), end - i, first, outcome + i);
          for (size_t at = i; at < end; ++at)
            missing |= outcome[at] != HUGETEXT_MADE;
        }
    }
  return missing && !job->lost;
}

/* Whether FACT holds for the job CLOSURE.  The loader opens the object's file
   and looks for its image when the policy first asks for them.  */
static bool
answer (void *closure, enum hugetext_fact fact)
{
  struct hugetext_job *job = closure;
  struct hugetext_attempt *attempt = job->attempt;
  switch (fact)
    {
    case HUGETEXT_IS_TRACED:
      return _dl_hugetext_traced (attempt);
    case HUGETEXT_IS_READABLE:
      if (!job->opened)
        job->source
            = _dl_hugetext_open_file (attempt->scratch, job->file, job->l);
      job->opened = true;
      return job->source >= 0;
    case HUGETEXT_HAS_IMAGE:
      if (!job->looked_up)
        job->stored = _dl_hugetext_open_image (attempt, job->object,
                                               &job->file->file, job->image);
      job->looked_up = true;
      return job->stored >= 0;
    case HUGETEXT_MAY_COLLAPSE:
      return _dl_hugetext_may_collapse (attempt);
    case HUGETEXT_MAY_ANONYMOUS:
      return _dl_hugetext_may_anonymous (attempt);
    case HUGETEXT_MAY_MEMORY_FILE:
      return _dl_hugetext_may_memory_file (attempt);
    default:
      return false;
    }
}

/* Do the work of _dl_hugetext_install for blocks that can have the same
   backings.  HEADER says that a copy would begin with the ELF header.  */
static void
install_alike (struct hugetext_job *job, uintptr_t start, size_t nblocks,
               bool congruent, uint64_t offset, bool header)
{
  enum hugetext_outcome outcome[HUGETEXT_RUN_MAX];
  const struct hugetext_wish wish = { .choice = job->set->backing,
                                      .images = job->set->has.images,
                                      .congruent = congruent,
                                      .file_ruled_out = job->file_ruled_out,
                                      .header = header,
                                      .cold = job->cold,
                                      .ask = answer,
                                      .closure = job };
  struct hugetext_chain chain = hugetext_chain_of_shared (&wish);

  for (size_t i = 0; i < nblocks; ++i)
    outcome[i] = chain.why;
  if (make_missing (job, &chain, start, nblocks, offset, outcome))
    {
      chain = hugetext_chain_of_copies (&wish);
      for (size_t i = 0; i < nblocks; ++i)
        if (chain.why != HUGETEXT_MADE && chain.n == 0
            && outcome[i] != HUGETEXT_MADE)
          outcome[i] = chain.why;
      make_missing (job, &chain, start, nblocks, offset, outcome);
    }
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] != HUGETEXT_MADE)
      _dl_hugetext_note_fate (job, block_at (job, start, i), outcome[i]);
}

void
_dl_hugetext_install (struct hugetext_job *job, uintptr_t start,
                      size_t nblocks, bool congruent, uint64_t offset)
{
  /* A block that begins with the ELF header may need another backing.  */
  size_t first = hugetext_holds_header (job->object, start, start + 1);

  if (first > 0)
    install_alike (job, start, first, congruent, offset, true);
  if (nblocks > first && !job->lost)
    install_alike (job, block_at (job, start, first), nblocks - first,
                   congruent, block_at (job, offset, first), false);
}
