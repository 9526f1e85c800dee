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
#include "dl-hugetext-probe.h"
#include "dl-hugetext-space.h"
#include "dl-hugetext-stage.h"
#include "dl-hugetext-store.h"
#include "dl-hugetext-sys.h"

/* The number of blocks without a huge page after which the rest is not tried:
   each trial may make the kernel compact memory, for milliseconds.  */
#define FAILURES_MAX 3

static bool
is_stored (const struct hugetext_backing *backing)
{
  return backing->way == HUGETEXT_WAY_STORE;
}

static uintptr_t
block_at (const struct hugetext_job *job, uintptr_t start, size_t i)
{
  return start + i * job->set->geo.block;
}

/* Whether JOB's object has its ELF header in the block at START.  */
static bool
has_header (const struct hugetext_job *job, uintptr_t start)
{
  return hugetext_holds_header (job->object, start, block_at (job, start, 1));
}

/* Whether a copy of the block at START would begin with an ELF header.  Such a
   block is made apart from others, because it may need another backing.  */
static bool
begins_with_header (const struct hugetext_job *job, uintptr_t start)
{
  return hugetext_holds_header (job->object, start, start + 1);
}

/* Claim the holes of the blocks of RUN that can be made, unless the holes are
   JOB's.  CLAIMED says which blocks' holes have been claimed.  */
static void
claim_holes (const struct hugetext_job *job, struct hugetext_run *run,
             bool claimed[])
{
  for (size_t i = 0; i < run->nblocks; ++i)
    {
      claimed[i] = false;
      if (job->owns_holes || run->outcome[i] != HUGETEXT_MADE)
        continue;
      claimed[i] = _dl_hugetext_claim_holes (
          job->object, block_at (job, run->start, i),
          block_at (job, run->start, i + 1));
      if (!claimed[i])
        run->outcome[i] = HUGETEXT_HOLE_TAKEN;
    }
}

/* Seal blocks [FIRST, LAST) of RUN and move them over the text.  */
static enum hugetext_outcome
seal_and_move (struct hugetext_run *run,
               const struct hugetext_backing *backing, size_t first,
               size_t last)
{
  uintptr_t block = run->attempt->geo.block;
  if (backing->seal != NULL)
    {
      enum hugetext_outcome sealed = backing->seal (run, first, last);
      if (sealed != HUGETEXT_MADE)
        return sealed;
    }
  uintptr_t from = _dl_hugetext_staged (run, first);
  uintptr_t to = run->start + first * block;
  size_t length = (last - first) * block, page = run->attempt->geo.page;
  struct hugetext_remedy remedy
      = { .fd = is_stored (backing) ? run->file : run->source,
          .image = is_stored (backing),
          .offset = run->offset + first * block };
  switch (_dl_hugetext_move (run->object, page, &remedy, from, length, to))
    {
    case HUGETEXT_MOVED:
      return HUGETEXT_MADE;
    case HUGETEXT_NOT_MOVED:
      return HUGETEXT_NOT_PLACED;
    case HUGETEXT_TEXT_LOST:
      break;
    }
  return HUGETEXT_LOST;
}

/* Move the blocks of RUN that are ready over the text, neighbours
   together.  */
static void
move_ready (struct hugetext_run *run, const struct hugetext_backing *backing)
{
  for (size_t first = 0, last; first < run->nblocks; first = last)
    {
      last = first + 1;
      if (run->outcome[first] != HUGETEXT_MADE)
        continue;
      while (last < run->nblocks && run->outcome[last] == HUGETEXT_MADE)
        ++last;
      enum hugetext_outcome moved = seal_and_move (run, backing, first, last);
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

/* Make RUN with BACKING.  */
static void
make_run (struct hugetext_job *job, struct hugetext_run *run,
          const struct hugetext_backing *backing)
{
  bool claimed[HUGETEXT_RUN_MAX];

  if (!_dl_hugetext_stage (run, backing))
    return;
  claim_holes (job, run, claimed);
  if (backing->fill != NULL)
    for (size_t i = 0; i < run->nblocks; ++i)
      if (run->outcome[i] == HUGETEXT_MADE)
        run->outcome[i] = backing->fill (run, i);
  move_ready (run, backing);
  clean_up (run, claimed);
}

/* Return how many of NBLOCKS blocks BACKING may make now.  */
static size_t
permitted (struct hugetext_job *job, const struct hugetext_backing *backing,
           size_t nblocks)
{
  if (!backing->charged)
    return nblocks;
  return hugetext_min (
      _dl_hugetext_ledger_copies (job->ledger, job->set->geo.block,
                                  job->attempt->scratch->text),
      nblocks);
}

/* Charge the blocks among NBLOCKS that BACKING has made to JOB, by OUTCOME; if
   BACKING is the LAST of its chain, count failures.  Return how many are
   made.  */
static size_t
account (struct hugetext_job *job, const struct hugetext_backing *backing,
         bool last, size_t nblocks, const enum hugetext_outcome outcome[])
{
  size_t made = 0;
  for (size_t i = 0; i < nblocks; ++i)
    switch (outcome[i])
      {
      case HUGETEXT_MADE:
        ++made;
        ++job->totals.made;
        job->totals.file += backing->way == HUGETEXT_WAY_FILE;
        job->totals.stored += is_stored (backing);
        _dl_hugetext_ledger_take (job->ledger, job->charge, backing->charged);
        break;
      case HUGETEXT_NOT_HUGE:
        job->attempt->failures += last;
        break;
      case HUGETEXT_THP_OFF:
        job->attempt->failures = FAILURES_MAX;
        break;
      case HUGETEXT_LOST:
        job->lost = true;
        break;
      default:
        break;
      }
  return made;
}

/* Make the NBLOCKS blocks of JOB from START with BACKING.  Copies are made in
   batches, first of one block, then of as many blocks as have been made: so
   the loader asks for few huge pages that it cannot have, and maps little
   beside the text at a time.  The file's own pages are made all at once.  */
static void
make_with (struct hugetext_job *job, const struct hugetext_backing *backing,
           bool last, uintptr_t start, size_t nblocks, uint64_t offset,
           enum hugetext_outcome outcome[])
{
  bool copies = hugetext_is_copy (backing->way);
  size_t batch = copies ? 1 : nblocks;

  for (size_t done = 0, n; done < nblocks; done += n)
    {
      n = permitted (job, backing, hugetext_min (batch, nblocks - done));
      enum hugetext_outcome refusal
          = (n == 0 ? (_dl_hugetext_ledger_full (job->ledger)
                           ? HUGETEXT_OVER_COPIES
                           : HUGETEXT_NO_ROOM)
             : !copies || job->attempt->failures < FAILURES_MAX ? HUGETEXT_MADE
             : job->attempt->thp_off == HUGETEXT_YES ? HUGETEXT_THP_OFF
                                                     : HUGETEXT_GAVE_UP);
      if (refusal != HUGETEXT_MADE)
        {
          for (size_t i = done; i < nblocks; ++i)
            outcome[i] = refusal;
          return;
        }
      struct hugetext_run run = {
        .attempt = job->attempt,
        .object = job->object,
        .source = job->source,
        .start = block_at (job, start, done),
        .nblocks = n,
        .offset = offset + done * job->set->geo.block,
        .file = is_stored (backing) ? job->stored : job->source,
        .image = &job->image->image,
        .prot = _dl_hugetext_text_prot (job->object, &job->set->geo, start),
        .whole_core = (job->l->l_type == lt_executable
                       && has_header (job, block_at (job, start, done)))
      };
      if (backing->select != NULL)
        {
          n = run.nblocks = backing->select (&run, &refusal);
          if (refusal != HUGETEXT_MADE)
            {
              for (size_t i = 0; i < n; ++i)
                outcome[done + i] = refusal;
              continue;
            }
        }
      make_run (job, &run, backing);
      if (run.outcome[0] == HUGETEXT_POOL_SHORT && n > 1)
        {
          /* The pool may have enough for half of the batch.  */
          batch = n / 2;
          n = 0;
          continue;
        }
      for (size_t i = 0; i < n; ++i)
        {
          outcome[done + i] = run.outcome[i];
          if (run.outcome[i] == HUGETEXT_MADE)
            _dl_hugetext_note_fate (job, block_at (job, start, done + i),
                                    copies ? HUGETEXT_FATE_COPY
                                    : is_stored (backing)
                                        ? HUGETEXT_FATE_STORE
                                        : HUGETEXT_FATE_FILE);
        }
      size_t made = account (job, backing, last, n, run.outcome);
      if (run.outcome[0] == HUGETEXT_POOL_SHORT)
        /* The pool has no page left: do not ask again.  */
        job->attempt->failures = FAILURES_MAX;
      if (copies && made == n)
        batch = hugetext_min (2 * batch, HUGETEXT_RUN_MAX);
    }
}

/* Make the missing ones of the NBLOCKS blocks of JOB from START with
   BACKING.  */
static void
make_missing (struct hugetext_job *job, const struct hugetext_backing *backing,
              bool last, uintptr_t start, size_t nblocks, uint64_t offset,
              enum hugetext_outcome outcome[])
{
  for (size_t i = 0, end; i < nblocks && !job->lost; i = end)
    {
      end = i + 1;
      if (outcome[i] == HUGETEXT_MADE)
        continue;
      while (end < nblocks && outcome[end] != HUGETEXT_MADE)
        ++end;
      make_with (job, backing, last, block_at (job, start, i), end - i,
                 offset + i * job->set->geo.block, outcome + i);
    }
}

/* Whether JOB's file can be read.  The file is opened for the first question,
   because blocks of the store need no file.  */
static bool
has_source (struct hugetext_job *job)
{
  if (!job->opened)
    {
      job->opened = true;
      job->source = _dl_hugetext_open_file (job->file, job->l);
    }
  return job->source >= 0;
}

/* Whether the store has an image of JOB's object.  */
static bool
has_image (struct hugetext_job *job)
{
  if (!job->looked_up)
    {
      job->looked_up = true;
      job->stored = _dl_hugetext_open_image (job->attempt, job->object,
                                             &job->file->file, job->image);
    }
  return job->stored >= 0;
}

/* Whether FACT holds for the job CLOSURE.  */
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
      return has_source (job);
    case HUGETEXT_HAS_IMAGE:
      return has_image (job);
    case HUGETEXT_MAY_COLLAPSE:
      return _dl_hugetext_may_collapse (attempt);
    case HUGETEXT_MAY_ANONYMOUS:
      _dl_hugetext_try_text (attempt);
      return _dl_hugetext_can (attempt, HUGETEXT_CAN_ANONYMOUS_TEXT);
    case HUGETEXT_MAY_MEMORY_FILE:
      _dl_hugetext_try_text (attempt);
      return (_dl_hugetext_can (attempt, HUGETEXT_CAN_FILE_TEXT)
              && _dl_hugetext_can (attempt, HUGETEXT_CAN_MAKE_FILE));
    default:
      return false;
    }
}

/* Set BACKING to the backing for WAY.  */
static void
choose_backing (struct hugetext_backing *backing, enum hugetext_way way)
{
  switch (way)
    {
    case HUGETEXT_WAY_FILE:
      return _dl_hugetext_file (backing);
    case HUGETEXT_WAY_STORE:
      return _dl_hugetext_store (backing);
    case HUGETEXT_WAY_MEMORY_FILE:
      return _dl_hugetext_memory_file (backing);
    case HUGETEXT_WAY_HUGETLB:
      return _dl_hugetext_hugetlb (backing);
    default:
      return _dl_hugetext_thp (backing);
    }
}

/* Make the missing ones of the NBLOCKS blocks of JOB from START by the
   backings of CHAIN, one after the other.  */
static void
make_by (struct hugetext_job *job, const struct hugetext_chain *chain,
         uintptr_t start, size_t nblocks, uint64_t offset,
         enum hugetext_outcome outcome[])
{
  for (size_t i = 0; i < chain->n && !job->lost; ++i)
    {
      struct hugetext_backing backing;
      choose_backing (&backing, chain->way[i]);
      make_missing (job, &backing, i + 1 == chain->n, start, nblocks, offset,
                    outcome);
    }
}

/* Set OUTCOME of the blocks that are not made to WHY, unless WHY is
   HUGETEXT_MADE.  False if all blocks are made.  */
static bool
say_missing (size_t nblocks, enum hugetext_outcome why,
             enum hugetext_outcome outcome[])
{
  bool missing = false;
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] != HUGETEXT_MADE)
      {
        missing = true;
        if (why != HUGETEXT_MADE)
          outcome[i] = why;
      }
  return missing;
}

/* Lock those of the NBLOCKS blocks of JOB from START that are made in memory,
   as far as the process may.  */
static void
lock_blocks (const struct hugetext_job *job, uintptr_t start, size_t nblocks,
             const enum hugetext_outcome outcome[])
{
  uintptr_t block = job->set->geo.block;
  bool may = _dl_hugetext_can (job->attempt, HUGETEXT_CAN_LOCK);
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] == HUGETEXT_MADE
        && (!may || sys_failed (sys_mlock (start + i * block, block))))
      {
        size_t n = (start - job->first) / block + i;
        if (n < job->nfates)
          job->fate[n] |= HUGETEXT_FATE_UNLOCKED;
      }
}

/* Do the work of _dl_hugetext_install for blocks that can have the same
   backings.  */
static void
install_alike (struct hugetext_job *job, uintptr_t start, size_t nblocks,
               bool congruent, uint64_t offset)
{
  enum hugetext_outcome outcome[HUGETEXT_RUN_MAX];
  const struct hugetext_wish wish
      = { .choice = job->set->backing,
          .images = job->set->has.images,
          .congruent = congruent,
          .file_ruled_out = job->file_ruled_out,
          .header = begins_with_header (job, start),
          .cold = job->cold,
          .ask = answer,
          .closure = job };
  struct hugetext_chain chain = hugetext_chain_of_shared (&wish);

  for (size_t i = 0; i < nblocks; ++i)
    outcome[i] = chain.why;
  make_by (job, &chain, start, nblocks, offset, outcome);
  if (!job->lost && say_missing (nblocks, HUGETEXT_MADE, outcome))
    {
      chain = hugetext_chain_of_copies (&wish);
      if (chain.n == 0)
        say_missing (nblocks, chain.why, outcome);
      make_by (job, &chain, start, nblocks, offset, outcome);
    }
  if (job->set->lock)
    lock_blocks (job, start, nblocks, outcome);
  for (size_t i = 0; i < nblocks; ++i)
    if (outcome[i] != HUGETEXT_MADE)
      _dl_hugetext_note_fate (job, block_at (job, start, i),
                              HUGETEXT_FATE_OUTCOME + outcome[i]);
}

void
_dl_hugetext_install (struct hugetext_job *job, uintptr_t start,
                      size_t nblocks, bool congruent, uint64_t offset)
{
  size_t first = begins_with_header (job, start) ? 1 : 0;

  if (first > 0)
    install_alike (job, start, first, congruent, offset);
  if (nblocks > first && !job->lost)
    install_alike (job, block_at (job, start, first), nblocks - first,
                   congruent, offset + first * job->set->geo.block);
}
