/* The ways in which a block of a running process can have a huge page.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/convert-way.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "object/textmap.h"

#include <sys/stat.h>
#include <unistd.h>

size_t
convert_room (struct conversion *all)
{
  char scratch[4096];
  machine_set_process (all->pid);
  size_t room
      = _dl_hugetext_ledger_copies (&all->ledger, procmaps_block (), scratch);
  machine_set_process (0);
  return room;
}

const char *
way_judge_copies (struct conversion *all)
{
  /* With strict accounting mremap may find no memory after it has removed the
     text.  */
  if (machine_number ("/proc/sys/vm/overcommit_memory") == 2)
    return "no copies: memory is committed strictly (vm.overcommit_memory is"
           " 2)";
  all->ledger.room_known = false;
  return convert_room (all) > 0
             ? NULL
             : "no copies: memory, or a limit of it, leaves no"
               " room";
}

/* Whether the page cache has the block at OFFSET of FD in a huge page, or will
   have it when it is mapped.  RENEW: small pages may be dropped, since no
   other process uses them.  */
static bool
is_cached_huge (int fd, uint64_t offset, bool renew)
{
  struct stat status;
  if (fstat (fd, &status) < 0
      || offset + procmaps_block ()
             > (((uint64_t) status.st_size + getpagesize () - 1)
                & -(uint64_t) getpagesize ()))
    return false;
  struct filecache_piece piece = filecache_look (fd, offset);
  const bool gathers = filecache_gathers (fd);
  switch (piece.state)
    {
    case PIECE_HUGE:
      return true;
    case PIECE_SHORT:
      return false;
    case PIECE_SMALL:
      if (!renew && !gathers)
        return false;
      break;
    default:
      break;
    }
  if (piece.dirty && !gathers)
    return false;
  return filecache_fill (fd, offset) == PIECE_HUGE;
}

/* The closure of the policy's questions about the blocks of OBJECT.  */
struct question
{
  const struct way_facts *facts;
  const struct convert_object *object;
};

static bool
answer (void *closure, enum hugetext_fact fact)
{
  const struct question *question = closure;
  switch (fact)
    {
    case HUGETEXT_IS_READABLE:
      return true;
    case HUGETEXT_HAS_IMAGE:
      return question->object->image_fd >= 0 && !question->facts->serves;
    case HUGETEXT_MAY_COLLAPSE:
    case HUGETEXT_MAY_ANONYMOUS:
      return question->facts->no_copies == NULL;
    default:
      /* The command is the only tracer, and makes no memory files in the
         process.  */
      return false;
    }
}

/* Whether a block like PLANNED, of OBJECT, may have WAY, as hugetext_may_try
   has it.  */
static bool
may_try (const struct way_facts *facts, const struct convert_object *object,
         const struct plan_block *planned, enum hugetext_way way,
         enum hugetext_outcome *why)
{
  struct question question = { facts, object };
  const struct hugetext_wish wish = {
    .choice = settings_value (&facts->all->settings, SETTING_BACKING),
    .congruent = planned->congruent,
    .file_ruled_out = facts->serves,
    .cold = planned->heat == 0,
    .ask = answer,
    .closure = &question,
  };
  return hugetext_may_try (&wish, way, why);
}

bool
way_can_be_had (const struct way_facts *facts,
                const struct convert_object *object, const struct plan *plan,
                size_t i, enum way way, uint64_t *offset)
{
  const struct plan_block *block = &plan->blocks[i];
  enum hugetext_outcome why;
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
      return (may_try (facts, object, block, HUGETEXT_WAY_FILE, &why)
              && (facts->trusting
                  || is_cached_huge (object->fd, block->offset, false)));
    case WAY_STORE:
      return (may_try (facts, object, block, HUGETEXT_WAY_STORE, &why)
              && hugetext_image_block (
                  &object->image, block->start - plan->elf.object.bias, offset)
              && (facts->trusting
                  || is_cached_huge (object->image_fd, *offset, true)));
    default:
      return may_try (facts, object, block, HUGETEXT_WAY_THP, &why);
    }
}

const char *
way_why_left (const struct way_facts *facts,
              const struct convert_object *object,
              const struct plan_block *planned)
{
  enum hugetext_outcome last = HUGETEXT_MADE, why;
  for (enum hugetext_way way = 0; way < HUGETEXT_WAYS; ++way)
    {
      if (may_try (facts, object, planned, way, &why)
          && hugetext_is_copy (way))
        return "";
      if (why != HUGETEXT_MADE)
        last = why;
    }
  switch (last)
    {
    case HUGETEXT_FILE_SMALL:
      return "its file is not cached in huge pages (hugetext prime)";
    case HUGETEXT_NOT_CONGRUENT:
      return "its file's huge pages do not fit where it is mapped";
    case HUGETEXT_NOT_STORED:
      return object->image_fd >= 0
                 ? "its image in the store does not fit where it is mapped"
                 : "the store has no image of it";
    case HUGETEXT_NOT_WORTH:
      return "a profile has never seen it executing: no copy";
    default:
      return facts->no_copies != NULL ? facts->no_copies : "";
    }
}
