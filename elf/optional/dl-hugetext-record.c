/* The record, in which other processes can read the loader's decisions and the
   reasons for them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader writes the reasons of an object's blocks while it makes the
   blocks huge, and adds the object's entry at the end.  */

#include <string.h>

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

#define RUNS_SIZE \
  (HUGETEXT_RECORD_RUNS_MAX * sizeof (struct hugetext_record_run))

/* Emit the ELF note with the address of the root (struct
   hugetext_record_note).  No code calls this function.  This function contains
   the asm statement because only an asm statement within a function can use
   constants of C.  */
static void __attribute__ ((noinline, noclone, used)) emit_note (void)
{
  asm volatile(".pushsection .note." HUGETEXT_RECORD_NOTE ", \"a\", %%note\n"
               "  .balign 4\n"
               "  .long 2f - 1f, 4f - 3f, %c0\n"
               "1:.asciz \"" HUGETEXT_RECORD_NOTE "\"\n"
               "2:.balign 4\n"
               "3:.long %c1\n"
               "  .long _dl_hugetext_root - .\n"
               "  .long __ehdr_start - .\n"
               "4:.popsection\n"
               :
               : "i"(HUGETEXT_RECORD_NOTE_TYPE), "i"(HUGETEXT_RECORD_VERSION));
}

void
_dl_hugetext_publish_record (struct hugetext_state *state)
{
  state->head.block = state->set.geo.block;
  state->head.runs = (uintptr_t) state->head.first_runs;
  __atomic_store_n (&_dl_hugetext_root.head, &state->head, __ATOMIC_RELEASE);
}

/* Return the array of the runs of HEAD.  */
static struct hugetext_record_run *
runs_of (const struct hugetext_record_head *head)
{
  return (struct hugetext_record_run *) (uintptr_t) head->runs;
}

/* Return true if the loader has mapped extra memory for the runs of HEAD.  */
static bool
record_has_memory (const struct hugetext_record_head *head)
{
  return head->runs != (uintptr_t) head->first_runs;
}

void
_dl_hugetext_drop_runs (struct hugetext_state *state)
{
  if (record_has_memory (&state->head))
    sys_munmap (state->head.runs, RUNS_SIZE);
}

/* Make SEQUENCE odd before entries change, and even after they have changed.
   The compiler must not move stores across this call.  */
static void
record_change_sequence (struct hugetext_record_head *head)
{
  __atomic_thread_fence (__ATOMIC_RELEASE);
  __atomic_store_n (&head->sequence, head->sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence (__ATOMIC_RELEASE);
}

/* Ensure that HEAD has space for one more run.  If the beginning of the record
   has no space for another run, map memory for as many runs as a record can
   have.  The kernel allocates only the pages that are used.  Return false if
   there is no memory.  */
static bool
make_space (struct hugetext_record_head *head)
{
  if (head->nruns < (record_has_memory (head) ? HUGETEXT_RECORD_RUNS_MAX
                                              : HUGETEXT_RECORD_RUNS))
    return true;
  const long int memory
      = record_has_memory (head) ? -ENOMEM : sys_map_memory (RUNS_SIZE);
  if (sys_failed (memory))
    return false;
  memcpy ((void *) memory, head->first_runs, sizeof head->first_runs);
  record_change_sequence (head);
  head->runs = memory;
  record_change_sequence (head);
  return true;
}

/* Append N blocks with REASON to the runs of ENTRY.  The runs of ENTRY are the
   last runs in HEAD's array of runs.  Return false if there is no memory.  */
static bool
record_append_run (struct hugetext_record_head *head,
                   struct hugetext_entry *entry, enum hugetext_reason reason,
                   size_t n)
{
  for (; n > 0; --n, ++entry->nblocks)
    {
      struct hugetext_record_run *last = runs_of (head) + head->nruns - 1;
      if (entry->nblocks == UINT16_MAX)
        return false;
      if (entry->nruns > 0 && last->code == reason
          && last->nblocks < UINT8_MAX)
        {
          ++last->nblocks;
          continue;
        }
      if (!make_space (head))
        return false;
      runs_of (head)[head->nruns++]
          = (struct hugetext_record_run){ .nblocks = 1, .code = reason };
      ++entry->nruns;
    }
  return true;
}

void
_dl_hugetext_record_reason (struct hugetext_state *state,
                            struct hugetext_record *record, uintptr_t block,
                            enum hugetext_reason reason)
{
  struct hugetext_record_head *head = &state->head;
  struct hugetext_entry *entry = &record->entry;
  if (entry->nblocks == 0)
    {
      entry->start = block;
      entry->first = head->nruns;
    }
  const size_t i = (block - entry->start) / head->block;
  /* The blocks between the last recorded block and BLOCK have no text.  */
  if ((entry->circumstances & HUGETEXT_UNRECORDED) == 0
      && !(record_append_run (head, entry, HUGETEXT_NONE, i - entry->nblocks)
           && record_append_run (head, entry, reason, 1)))
    entry->circumstances |= HUGETEXT_UNRECORDED;
}

void
_dl_hugetext_close_record (struct hugetext_state *state,
                           struct hugetext_record *record, bool changed)
{
  const struct hugetext_attempt *attempt = &state->attempt;
  struct hugetext_entry *entry = &record->entry;
  entry->bias = record->map->l_addr;
  /* If the loader has only chosen the range and never reserved it, other code
     may have mapped memory in the range.  */
  if (record->hint != 0)
    entry->low = entry->high = 0;
  entry->nfree = state->nfree;
  /* Before an attempt begins, the loader does not know about filters and
     tracers.  */
  entry->circumstances
      = ((entry->circumstances & HUGETEXT_UNRECORDED)
         | (attempt->mattered && !attempt->told ? HUGETEXT_WAS_UNTOLD : 0)
         | (attempt->told && attempt->traced ? HUGETEXT_WAS_TRACED : 0)
         | (attempt->told && attempt->mattered
                    && !HUGETEXT_ALLOWED (HUGETEXT_ANY_CALL)
                ? HUGETEXT_WAS_FILTERED
                : 0)
         | (attempt->no_slack ? HUGETEXT_NO_SLACK : 0)
         | (changed ? HUGETEXT_WAS_CHANGED : 0));
  record_change_sequence (&state->head);
  entry->next = state->head.entries;
  __atomic_store_n (&state->head.entries, (uintptr_t) entry, __ATOMIC_RELEASE);
  record_change_sequence (&state->head);
}

void
_dl_hugetext_forget_record (struct hugetext_state *state,
                            const struct hugetext_record *record)
{
  struct hugetext_record_head *head = &state->head;
  struct hugetext_record_run *runs = runs_of (head);
  const size_t first = record->entry.first, n = record->entry.nruns;
  struct hugetext_entry *entry;
  record_change_sequence (head);
  head->nruns -= n;
  memmove (runs + first, runs + first + n,
           (head->nruns - first) * sizeof *runs);
  /* memmove has moved the runs of later objects towards the beginning.
     Correct the entries of later objects, because the indices of their runs
     have changed.  */
  for (uint64_t *link = &head->entries; *link != 0;)
    {
      entry = (struct hugetext_entry *) (uintptr_t) *link;
      if (n > 0 && entry->first > first)
        entry->first -= n;
      if (entry == &record->entry)
        *link = entry->next;
      else
        link = &entry->next;
    }
  record_change_sequence (head);
}
