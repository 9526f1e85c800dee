/* The ways in which a block of a running process can become huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/convert-way.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/memory.h"
#include "object/textmap.h"

size_t
convert_room (struct conversion *all)
{
  struct memory_room room;
  char scratch[4096];
  /* Query the free memory again in each call, because processes use memory
     between two calls.  Store it in the ledger, where the loader's policy
     reads it, because the policy reads no files.  */
  all->room = (struct problem){ 0 };
  memory_ask (all->pid, all->ledger.used.copies, &room, &all->room);
  all->ledger.copies_room = room.copies;
  all->ledger.room_known = true;
  return _dl_hugetext_ledger_copies (&all->ledger, procmaps_block (), scratch);
}

enum hugetext_reason
way_judge_copies (void)
{
  /* If the kernel commits memory strictly, mremap may run out of memory after
     it has removed the text.  */
  return (machine_number ("/proc/sys/vm/overcommit_memory") == 2
              ? REASON_STRICT
              : HUGETEXT_NONE);
}

/* Return true if the page cache will hold the block at OFFSET of FD in a huge
   page when the block is mapped.  RENEW is true if the command may evict small
   pages of the block, because no other process uses them.  */
static bool
is_cached_huge (int fd, uint64_t offset, bool renew)
{
  switch (filecache_step (fd, offset, renew))
    {
    case HUGETEXT_CACHE_DONE:
      return true;
    case HUGETEXT_CACHE_LEAVE:
      return false;
    default:
      return filecache_fill (fd, offset, FILECACHE_TRIES) == PIECE_HUGE;
    }
}

/* The argument CLOSURE of the function answer: the facts about the process,
   and the object to which the blocks belong.  */
struct question
{
  const struct way_facts *facts;
  const struct convert_object *object;
};

static bool
convert_way_answer_question (void *closure, enum hugetext_fact fact)
{
  const struct question *question = closure;
  switch (fact)
    {
    case HUGETEXT_IS_READABLE:
      return true;
    case HUGETEXT_HAS_IMAGE:
      return !question->facts->serves;
    case HUGETEXT_MAY_COLLAPSE:
    case HUGETEXT_MAY_ANONYMOUS:
      return question->facts->no_copies == HUGETEXT_NONE;
    case HUGETEXT_LOOKS_FOR_PATH:
      return question->object->needs_path;
    default:
      /* All other facts are false.  HUGETEXT_IS_TRACED is false because only
         the command itself traces the process.  HUGETEXT_MAY_MEMORY_FILE is
         false because the command never makes a memfd in the process.  */
      return false;
    }
}

/* Return true, and set *OFFSET to the block's offset in the image, if OBJECT
   has an image that contains the block PLANNED.  */
static bool
convert_way_is_stored (const struct convert_object *object,
                       const struct plan_block *planned, uint64_t *offset)
{
  return (object->image_fd >= 0
          && hugetext_image_block (
              &object->image, planned->start - object->text->bias, offset));
}

/* Return true if the block PLANNED of OBJECT has too little text to be worth a
   copy.  If the process has opened OBJECT by dlopen, its loader has recorded
   in NFREE how many blocks of the process were on huge pages that use no
   memory of the process.  The more blocks NFREE counts, the more text
   hugetext_copy_text requires in a copy.  */
static bool
is_little (const struct conversion *all, const struct convert_object *object,
           const struct plan_block *planned)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  const struct hugetext_entry *entry
      = record_find (&all->found.record, object->text->bias);
  return (entry != NULL
          && hugetext_is_little (planned->text, planned->heat,
                                 hugetext_copy_text (&geo, entry->nfree)));
}

/* Return the facts about the block PLANNED of QUESTION's object that the
   loader's policy (hugetext_may_try) needs to decide on the block's
   backing.  */
static struct hugetext_wish
convert_way_describe_block (struct question *question,
                            const struct plan_block *planned)
{
  const struct way_facts *facts = question->facts;
  uint64_t offset;
  return (struct hugetext_wish){
    .choice = settings_value (&facts->all->settings, SETTING_BACKING),
    .congruent = planned->congruent,
    .file_ruled_out = facts->serves,
    .unstored = !convert_way_is_stored (question->object, planned, &offset),
    .name = planned->name,
    .spare = planned->last,
    .cold = hugetext_is_cold (planned->heat),
    .little = is_little (facts->all, question->object, planned),
    .ask = convert_way_answer_question,
    .closure = question,
  };
}

/* Return true if hugetext_may_try allows the backing WAY for the block PLANNED
   of OBJECT.  */
static bool
convert_way_may_try_backing (const struct way_facts *facts,
                             const struct convert_object *object,
                             const struct plan_block *planned,
                             enum hugetext_way way, enum hugetext_reason *why)
{
  struct question question = { facts, object };
  const struct hugetext_wish wish
      = convert_way_describe_block (&question, planned);
  return hugetext_may_try (&wish, way, why);
}

bool
way_can_be_had (const struct way_facts *facts,
                const struct convert_object *object, const struct plan *plan,
                size_t i, enum way way, uint64_t *offset)
{
  const struct plan_block *block = &plan->blocks[i];
  enum hugetext_reason why;
  *offset = 0;
  switch (way)
    {
    case WAY_INPLACE:
      if (!facts->all->fresh
          || !textmap_is_full (&plan->elf.object, block->start,
                               block->start + procmaps_block ()))
        return false;
      /* Fall through.  */
    case WAY_FILE:
      *offset = block->offset;
      return (convert_way_may_try_backing (facts, object, block,
                                           HUGETEXT_WAY_FILE, &why)
              && (facts->trusting
                  || is_cached_huge (object->fd, block->offset, false)));
    case WAY_STORE:
      return (convert_way_may_try_backing (facts, object, block,
                                           HUGETEXT_WAY_STORE, &why)
              && convert_way_is_stored (object, block, offset)
              && (facts->trusting
                  || is_cached_huge (object->image_fd, *offset, true)));
    default:
      return convert_way_may_try_backing (facts, object, block,
                                          HUGETEXT_WAY_THP, &why);
    }
}

/* Return true if the page cache is known to hold the block PLANNED of OBJECT
   in small pages.  Query the page cache only if the cap of the process allows
   a further huge block; if the cap is used up, use the reason that the loader
   has recorded for the block.  */
static bool
convert_way_is_known_small (const struct conversion *all,
                            const struct convert_object *object,
                            const struct plan_block *planned)
{
  const struct record *record = &all->found.record;
  if (hugetext_asks_cache (all->places, 0, 0))
    return (filecache_step (object->fd, planned->offset, false)
            == HUGETEXT_CACHE_LEAVE);
  const struct hugetext_entry *entry
      = record_find (record, object->text->bias);
  const enum hugetext_reason reason
      = (entry != NULL ? record_reason (record, entry, planned->start)
                       : HUGETEXT_NONE);
  /* The loader has recorded REASON for the block.  In two cases REASON says
     nothing about the page cache: the loader has made the block huge, or
     REASON is a verdict of the policy, such as the cap, for which the loader
     did not ask the page cache.  */
  return (reason != HUGETEXT_NONE && !hugetext_is_verdict (reason)
          && !hugetext_is_made (reason));
}

bool
way_is_free (const struct conversion *all, const struct convert_object *object,
             const struct plan_block *planned)
{
  const struct way_facts facts = { .all = all };
  struct question question = { &facts, object };
  struct hugetext_wish wish = convert_way_describe_block (&question, planned);
  if (planned->congruent && !all->fresh)
    wish.file_ruled_out = convert_way_is_known_small (all, object, planned);
  return hugetext_is_free (&wish);
}

enum hugetext_reason
way_judge_backings (const struct conversion *all,
                    const struct convert_object *object,
                    const struct plan_block *planned)
{
  const struct way_facts facts = { .all = all };
  enum hugetext_reason why;
  if (convert_way_may_try_backing (&facts, object, planned, HUGETEXT_WAY_THP,
                                   &why)
      || way_is_free (all, object, planned))
    return HUGETEXT_TAKE;
  return way_why_left (&facts, object, planned, 0);
}

enum hugetext_reason
way_why_left (const struct way_facts *facts,
              const struct convert_object *object,
              const struct plan_block *planned, unsigned int reached)
{
  enum hugetext_reason last = HUGETEXT_NONE;
  for (enum hugetext_way way = 0; way < HUGETEXT_WAYS; ++way)
    {
      enum hugetext_reason why;
      const bool tried
          = convert_way_may_try_backing (facts, object, planned, way, &why);
      if (tried && hugetext_is_copy (way))
        return HUGETEXT_NONE;
      if (tried && (facts->late || facts->over)
          && (reached
              & 1U << (way == HUGETEXT_WAY_STORE ? WAY_STORE : WAY_FILE))
                 == 0)
        /* The command does not know whether the page cache holds the block in
           a huge page.  If the command was unable to change the process any
           further, return no reason for the block, because the command reports
           this problem instead.  */
        return facts->over ? HUGETEXT_NONE : REASON_OUT_OF_TIME;
      if (tried)
        last = way == HUGETEXT_WAY_STORE
                   ? (object->image_failed != HUGETEXT_NONE
                          ? object->image_failed
                          : HUGETEXT_STORE_SMALL)
               : object->file_failed != HUGETEXT_NONE ? object->file_failed
                                                      : HUGETEXT_FILE_SMALL;
      else if (why != HUGETEXT_MADE && hugetext_is_copy (way)
               && why != HUGETEXT_NOT_WORTH && why != HUGETEXT_LITTLE_TEXT
               && why != HUGETEXT_KEEPS_NAME
               && facts->no_copies != HUGETEXT_NONE)
        /* Return the command's own reason why no copies are possible, because
           it is more precise than the reason from the loader's policy
           (WHY).  */
        return facts->no_copies;
      else if (why == HUGETEXT_NOT_STORED && object->image_fd >= 0)
        last = facts->serves ? REASON_SERVES : REASON_IMAGE_ELSEWHERE;
      else if (why != HUGETEXT_MADE)
        last = why;
    }
  return last;
}
