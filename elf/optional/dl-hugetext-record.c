/* The record: the loader's decisions and their reasons, in memory that other
   processes may read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader writes the reasons of an object's blocks while it makes the
   blocks huge, and adds the object's entry at the end.  */

#include <string.h>

#include "dl-hugetext-state.h"

/* Emit the ELF note with the address of the root (struct
   hugetext_record_note).  No code calls this function.  The function exists
   because an asm statement can use constants of C only within a function.  */
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
  __atomic_store_n (&_dl_hugetext_root.head, &state->head, __ATOMIC_RELEASE);
}

/* Make SEQUENCE odd before entries change, and even after they have changed.
   The compiler must not move stores across this call.  */
static void
change (struct hugetext_record_head *head)
{
  __atomic_thread_fence (__ATOMIC_RELEASE);
  __atomic_store_n (&head->sequence, head->sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence (__ATOMIC_RELEASE);
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
      entry->first = head->nreasons;
    }
  size_t i = (block - entry->start) / head->block;
  entry->unrecorded = i >= HUGETEXT_RECORD_BLOCKS - (size_t) entry->first;
  if (entry->unrecorded)
    return;
  /* Blocks before this block that have no reason yet have no text.  */
  while (entry->nblocks <= i)
    head->reason[entry->first + entry->nblocks++] = HUGETEXT_NONE;
  head->reason[entry->first + i] = reason;
  head->nreasons = entry->first + entry->nblocks;
}

void
_dl_hugetext_close_record (struct hugetext_state *state,
                           struct hugetext_record *record, bool changed)
{
  const struct hugetext_attempt *attempt = &state->attempt;
  struct hugetext_entry *entry = &record->entry;
  entry->bias = record->map->l_addr;
  /* If the loader has only chosen the range and never reserved it, the range
     may contain mappings of other code.  */
  if (record->hint != 0)
    entry->low = entry->high = 0;
  /* If no attempt has begun, the loader has not found out about filters and
     tracers.  */
  entry->circumstances
      = ((attempt->mattered && !attempt->told ? HUGETEXT_WAS_UNTOLD : 0)
         | (attempt->told && attempt->traced ? HUGETEXT_WAS_TRACED : 0)
         | (attempt->told && attempt->mattered
                    && !HUGETEXT_ALLOWED (HUGETEXT_ANY_CALL)
                ? HUGETEXT_WAS_FILTERED
                : 0)
         | (attempt->no_slack ? HUGETEXT_NO_SLACK : 0)
         | (changed ? HUGETEXT_WAS_CHANGED : 0));
  change (&state->head);
  entry->next = state->head.entries;
  __atomic_store_n (&state->head.entries, (uintptr_t) entry, __ATOMIC_RELEASE);
  change (&state->head);
}

void
_dl_hugetext_forget_record (struct hugetext_state *state,
                            const struct hugetext_record *record)
{
  struct hugetext_record_head *head = &state->head;
  const size_t first = record->entry.first, n = record->entry.nblocks;
  struct hugetext_entry *entry;
  change (head);
  head->nreasons -= n;
  memmove (head->reason + first, head->reason + first + n,
           head->nreasons - first);
  /* memmove has moved the reasons of later objects towards the beginning.
     Correct their entries.  */
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
  change (head);
}
