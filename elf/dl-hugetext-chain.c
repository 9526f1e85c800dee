/* Which backings blocks of an object can have, and which of them comes first.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What is shared before what takes memory.  Nothing is opened or looked up
   before a backing is wanted that needs it.  */

#include "dl-hugetext-chain.h"
#include "dl-hugetext-probe.h"
#include "dl-hugetext-store.h"

/* Whether JOB's file can be read.  Opened when somebody asks: what is of the
   store does without.  */
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
      if (_dl_hugetext_may_use_store (job->set))
        job->stored = _dl_hugetext_open_image (job->attempt, job->object,
                                               &job->file->file, job->image);
    }
  return job->stored >= 0;
}

size_t
_dl_hugetext_chain_of_shared (struct hugetext_job *job, bool congruent,
                              hugetext_backing_row *
                                chain[HUGETEXT_CHAIN_MAX],
                              enum hugetext_outcome *why)
{
  size_t n = 0;

  *why = congruent ? HUGETEXT_FILE_SMALL : HUGETEXT_NOT_CONGRUENT;
  if (congruent && _dl_hugetext_may_use_file (job->set)
      && !job->file_ruled_out && !_dl_hugetext_traced (job->attempt)
      && has_source (job))
    chain[n++] = _dl_hugetext_file;
  if (job->set->backing == HUGETEXT_STORE)
    *why = HUGETEXT_NOT_STORED;
  if (has_image (job))
    chain[n++] = _dl_hugetext_store;
  if (n == 0 && !has_source (job))
    *why = HUGETEXT_UNREADABLE;
  return n;
}

bool
_dl_hugetext_may_copy (struct hugetext_job *job)
{
  return (job->set->backing != HUGETEXT_FILE
          && job->set->backing != HUGETEXT_STORE && has_source (job));
}

size_t
_dl_hugetext_chain_of_copies (struct hugetext_job *job, uintptr_t start,
                              hugetext_backing_row *
                                chain[HUGETEXT_CHAIN_MAX],
                              enum hugetext_outcome *why)
{
  struct hugetext_attempt *attempt = job->attempt;
  size_t n = 0;

  *why = HUGETEXT_TRACED;
  if (job->set->backing == HUGETEXT_HUGETLB && _dl_hugetext_traced (attempt))
    return 0;
  *why = HUGETEXT_THP_OFF;
  if (job->set->backing == HUGETEXT_AUTO && job->set->has.images
      && !_dl_hugetext_may_collapse (attempt))
    return 0;

  *why = HUGETEXT_PROTECT;
  _dl_hugetext_try_text (attempt);
  bool file_text = (_dl_hugetext_can (attempt, HUGETEXT_CAN_FILE_TEXT)
                    && _dl_hugetext_can (attempt, HUGETEXT_CAN_MAKE_FILE));
  if (!_dl_hugetext_can (attempt, HUGETEXT_CAN_ANONYMOUS_TEXT))
    {
      if (file_text && job->set->backing != HUGETEXT_HUGETLB)
        chain[n++] = _dl_hugetext_memory_file;
    }
  else if (job->set->backing == HUGETEXT_HUGETLB)
    chain[n++] = _dl_hugetext_hugetlb;
  else
    {
      if (file_text && hugetext_holds_header (job->object, start, start + 1))
        chain[n++] = _dl_hugetext_memory_file;
      chain[n++] = _dl_hugetext_thp;
    }
  return n;
}
