/* The record of the blocks that "hugetext attach" has replaced in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/changes.h"
#include "attach/attach.h"
#include "host/inspector.h"
#include "host/procfile.h"
#include "tracee/lease.h"
#include "tracee/thread.h"
#include "tracee/trampoline.h"

#include <limits.h>
#include <unistd.h>

/* The header of the record; the list of blocks follows it.  */
struct head
{
  uint64_t mark, page, count;
};

#define MARK UINT64_C (0x686774657874a001)

enum
{
  HOLE_BITS = 2,
  HOLE_MASK = (1 << HOLE_BITS) - 1,
  SPLIT = 1 << HOLE_BITS * PLACES,
  STATE_MASK = 2 * SPLIT - 1, /* The bits of an entry of the record that are
                                 not part of the block's address.  */
};

_Static_assert(
    LEASE_SIZE + 2 * sizeof (uint64_t) <= TRAMPOLINE_WORDS,
    "TRAMPOLINE_WORDS has space for the lease and two 64-bit numbers");
_Static_assert(sizeof (struct head) + CHANGES_MAX * sizeof (uint64_t) <= 4096,
               "the record of CHANGES_MAX changed blocks fits in a page");

size_t
changes_size (void)
{
  return getpagesize ();
}

bool
changes_read (struct changes *record, uintptr_t slack, int memory)
{
  uint64_t words[2];
  struct head head;
  *record = (struct changes){ 0 };
  if (slack == 0)
    return false;
  record->words = slack + LEASE_SIZE;
  if (!thread_read (memory, record->words, words, sizeof words)
      || words[0] == 0 || words[1] != (words[0] ^ MARK)
      || !thread_read (memory, words[0], &head, sizeof head)
      || head.mark != MARK || head.page != words[0] || head.count > CHANGES_MAX
      || !thread_read (memory, words[0] + sizeof head, record->list,
                       sizeof record->list))
    return true;
  record->page = words[0];
  record->count = head.count;
  return true;
}

bool
changes_look (struct changes *record, pid_t pid)
{
  int memory = procfile_open (pid, "mem");
  bool good = memory >= 0
              && changes_read (record, trampoline_words (pid, memory), memory);
  if (memory >= 0)
    close (memory);
  return good;
}

void
attach_answer (struct message *asked, struct message *answer)
{
  struct changes record;
  const bool good
      = changes_look (&record, message_get_number (asked, INT_MAX));
  message_put_number (answer, good);
  if (!good)
    return;
  message_put_number (answer, record.words);
  message_put_number (answer, record.page);
  message_put_number (answer, record.count);
  message_put_bytes (answer, record.list, sizeof record.list);
}

bool
changes_ask (struct changes *record, pid_t pid)
{
  struct problem problem;
  struct message asked = { 0 }, answer;
  *record = (struct changes){ 0 };
  message_put_number (&asked, pid);
  if (!inspector_ask (INSPECTOR_CHANGES, pid, 0, &asked, &answer, &problem))
    return false;
  bool good = message_get_bool (&answer);
  record->words = message_get_number (&answer, UINTPTR_MAX);
  record->page = message_get_number (&answer, UINTPTR_MAX);
  record->count = message_get_number (&answer, CHANGES_MAX);
  message_get_bytes (&answer, record->list, sizeof record->list);
  good &= message_is_done (&answer);
  message_free (&answer);
  return good;
}

bool
changes_place (struct changes *record, int memory, uintptr_t page)
{
  const uint64_t words[] = { page, page != 0 ? page ^ MARK : 0 };
  const struct head head = { MARK, page, 0 };
  if ((page != 0 && !thread_write (memory, page, &head, sizeof head))
      || !thread_write (memory, record->words, words, sizeof words))
    return false;
  record->page = page;
  record->count = 0;
  return true;
}

ssize_t
changes_find (const struct changes *record, uintptr_t start)
{
  for (size_t i = 0; i < record->count; ++i)
    if ((record->list[i] & ~(uint64_t) STATE_MASK) == start)
      return i;
  return -1;
}

void
changes_note_split (struct changes *record, size_t i)
{
  record->list[i] |= SPLIT;
}

bool
changes_is_split (const struct changes *record, size_t i)
{
  return (record->list[i] & SPLIT) != 0;
}

enum changes_hole
changes_hole (const struct changes *record, size_t i, enum changes_place place)
{
  return record->list[i] >> HOLE_BITS * place & HOLE_MASK;
}

/* Return the state of the hole (a part of a block without a segment) at the
   address START, as MAPS shows it.  */
static enum changes_hole
changes_find_hole (const struct procmaps *maps, uintptr_t start)
{
  const struct mapping *map = procmaps_find (maps, start);
  return map == NULL ? HOLE_FREE : map->inode != 0 ? HOLE_FILE : HOLE_RESERVED;
}

void
changes_look_at_holes (const struct procmaps *maps,
                       const struct hugetext_object *elf, uintptr_t start,
                       enum changes_hole holes[PLACES])
{
  uintptr_t end = start + procmaps_block (), at = start;
  struct hugetext_piece piece;
  bool any = false;
  holes[PLACE_BEFORE] = holes[PLACE_BETWEEN] = holes[PLACE_BEHIND] = HOLE_FREE;
  for (; hugetext_next_piece (elf, at, end, &piece); at = piece.end)
    {
      if (at < piece.start)
        holes[any ? PLACE_BETWEEN : PLACE_BEFORE]
            = changes_find_hole (maps, at);
      any = true;
    }
  if (at < end)
    holes[PLACE_BEHIND] = changes_find_hole (maps, at);
}

bool
changes_add (struct changes *record, uintptr_t start,
             const enum changes_hole holes[PLACES])
{
  /* If the record already has an entry for START, overwrite this entry,
     because the old entry is about an object that was at START before.  */
  const ssize_t old = changes_find (record, start);
  const size_t i = old >= 0 ? (size_t) old : record->count;
  if (record->page == 0 || i == CHANGES_MAX)
    return false;
  record->list[i] = start | (old >= 0 ? record->list[i] & SPLIT : 0);
  for (unsigned int place = 0; place < PLACES; ++place)
    record->list[i] |= holes[place] << HOLE_BITS * place;
  record->count += i == record->count;
  return true;
}

bool
changes_write (const struct changes *record, int memory)
{
  const uint64_t count = record->count;
  /* Write the entries of the list first and the number of entries last, so
     that the record is valid even if hugetext is killed between the two
     writes.  */
  return (thread_write (memory, record->page + sizeof (struct head),
                        record->list, count * sizeof record->list[0])
          && thread_write (memory,
                           record->page + offsetof (struct head, count),
                           &count, sizeof count));
}

bool
changes_remove (struct changes *record, int memory, size_t i)
{
  record->list[i] = record->list[--record->count];
  return changes_write (record, memory);
}
