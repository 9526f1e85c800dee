/* The plan of "hugetext attach": which blocks of a running process to put on
   huge pages, or to move back to small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The plan follows the loader's policy.  The plan leaves the objects at their
   present addresses, and omits blocks that the process has changed.  All facts
   come from the inspector, an unprivileged process.  The process that makes
   the plan has the right to trace other processes, so it leaves the reading of
   their files and text to the inspector.  */

#include "attach/convert.h"
#include "attach/attach.h"
#include "attach/changes.h"
#include "attach/choose.h"
#include "attach/convert-way.h"
#include "object/reason.h"
#include "object/textmap.h"
#include "store/stored.h"
#include "host/machine.h"
#include "text/record.h"
#include "tracee/thread.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The time limit in nanoseconds for work on a program that has not executed
   its first instruction.  */
#define BUDGET 20000000000L

/* Return false if attach must not change the process that FOUND describes.  */
static bool
convert_plan_judge_process (const struct inspection *found, bool undo,
                            struct problem *problem)
{
  if (found->foreign[0] != '\0')
    return problem_set (problem, "%s", found->foreign);
  if (found->secure)
    return reason_set (problem, REASON_SECURE);
  if (undo)
    return true;
  const struct reason_about about = inspect_about (found, &found->settings);
  if (machine_thp_off (procmaps_block ()))
    return reason_problem (problem, HUGETEXT_THP_OFF, &about);
  return true;
}

/* Copy each setting in OPTIONS to SETTINGS, because OPTIONS override the
   process's own settings.  */
static void
add_options (const struct settings *options, struct settings *settings)
{
  for (size_t i = 0; i < SETTINGS; ++i)
    if (options->given[i])
      {
        settings->given[i] = settings->option[i] = true;
        settings->value[i] = options->value[i];
      }
}

bool
attach_check_backing (const struct settings *settings, struct problem *problem)
{
  return !hugetext_takes_pool (settings_value (settings, SETTING_BACKING))
         || problem_set (problem,
                         "backing = hugetlb (%s) works only at the start of "
                         "a process: use --backing=auto, file, store or thp",
                         settings_source (settings, HUGETEXT_KEY_BACKING));
}

/* Return what the inspector found about the block of OBJECT that begins at
   START, or NULL if OBJECT has no such block.  */
static const struct text_block *
block_now (const struct object_text *object, uintptr_t start)
{
  for (size_t i = 0; i < object->nblocks; ++i)
    if (object->blocks[i].start == start)
      return &object->blocks[i];
  return NULL;
}

/* The data that are kept while plans are made: the mappings and records of the
   process, and the plans so far.  */
struct looking
{
  struct conversion *all;
  struct procmaps maps; /* The process's mappings, with the details of smaps if
                           the program has already executed instructions.  */
  struct changes record;
  int pagemap;
  bool undo;
  /* The parameters of hugetext_heat_counts: PROGRAM_HAS_BLOCKS is true if the
     program has blocks that could be huge, PROGRAM_PROFILED if the index has
     the program's heat.  */
  bool program_has_blocks, program_profiled;
};

/* Return true if the loader's record in the process says that the loader has
   called madvise with MADV_NOHUGEPAGE for the block at START.  */
static bool
is_kept_by_loader (const struct looking *look, uintptr_t start)
{
  const struct record *record = &look->all->found.record;
  for (size_t k = 0; record->kept && k < record->count; ++k)
    if (record_is_kept_small (
            record, record_reason (record, &record->entries[k], start)))
      return true;
  return false;
}

/* Return true if the records in the process say that the loader or the command
   has called madvise with MADV_NOHUGEPAGE for the block at START.  The loader
   has no record of calls of madvise by the program itself.  */
static bool
is_kept_by_us (const struct looking *look, uintptr_t start)
{
  const ssize_t i = changes_find (&look->record, start);
  return ((i >= 0 && changes_is_split (&look->record, i))
          || is_kept_by_loader (look, start));
}

/* Return HUGETEXT_NONE if the flags in smaps allow replacing the mappings of
   BLOCK, which begins at START in OBJECT; if not, return the reason why the
   mappings must not be replaced.  Set the members SMALL and LOCKED of BLOCK.
   Either all mappings of the block must be locked in memory, or none, because
   one mapping will replace the whole block.  */
static enum hugetext_reason
judge_kind (const struct looking *look, const struct convert_object *object,
            uintptr_t start, struct convert_block *block)
{
  const struct procmaps *maps = &look->maps;
  bool free = false;
  block->small = block->locked = false;
  for (size_t i = procmaps_index (maps, start);
       i < maps->count && maps->list[i].start < start + procmaps_block (); ++i)
    {
      const struct mapping *map = &maps->list[i];
      /* A mapping with PROT_NONE does not belong to a segment of the
         object.  */
      if (!map->readable && !map->writable && !map->executable)
        continue;
      if (!map->detailed)
        return REASON_CHANGING;
      if (map->watched)
        return REASON_WATCHED;
      /* The kernel does not report whether hugetlb pages are locked.  */
      *((map->hugetlb ? object->locked : map->locked) ? &block->locked : &free)
          = true;
      block->small |= map->kept_small;
    }
  if (block->locked && free)
    return REASON_PARTLY_LOCKED;
  /* If a block moves back to small pages, the command repeats the loader's
     madvise for the block.  */
  if (look->undo || look->all->heats != NULL)
    block->small |= is_kept_by_loader (look, start);
  return (block->small && !look->undo && !is_kept_by_us (look, start)
              ? REASON_ADVISED
              : HUGETEXT_NONE);
}

/* Return true if the loader has reserved all holes of the block at START.
   PLAN is the plan for the object that contains the block, and RECORD is the
   loader's record in the process.  */
static bool
is_reserved (const struct record *record, const struct plan *plan,
             uintptr_t start)
{
  const struct hugetext_entry *entry
      = record_find (record, plan->elf.object.bias);
  return (entry != NULL && entry->low <= start && start < entry->high
          && entry->high - start >= procmaps_block ());
}

/* Return true if the command can move block I of OBJECT's PLAN back to small
   pages.  NOW is the inspector's answer about the block.  For every block, the
   object's file must be open, and the flags in smaps must allow the
   replacement (judge_kind).  If the huge page belongs to the object's file,
   the block must also have no holes, and must not be locked in memory.  If the
   huge page is a copy or belongs to an image, one of two conditions must hold:
   "hugetext attach" made the block huge, or the loader made the block huge and
   reserved all holes of the block.  */
static bool
is_movable (const struct looking *look, const struct convert_object *object,
            const struct plan *plan, size_t i, const struct text_block *now)
{
  const uintptr_t start = plan->blocks[i].start;
  const bool own = object->blocks[i].backing == BACKING_FILE,
             full = textmap_is_full (&plan->elf.object, start,
                                     start + procmaps_block ());
  return ((own ? full
               : changes_find (&look->record, start) >= 0
                     || (now->copied && (object->blocks[i].reserved || full)))
          && object->fd >= 0
          && judge_kind (look, object, start, &object->blocks[i])
                 == HUGETEXT_NONE
          && !(own && object->blocks[i].locked));
}

/* Decide whether block I of OBJECT should move to a huge page or back to small
   pages, and change OBJECT's PLAN accordingly.  */
static void
convert_plan_judge_block (const struct looking *look,
                          const struct convert_object *object,
                          struct plan *plan, size_t i)
{
  struct convert_block *block = &object->blocks[i];
  struct plan_block *planned = &plan->blocks[i];
  const struct text_block *now = block_now (object->text, planned->start);
  block->reserved
      = is_reserved (&look->all->found.record, plan, planned->start);
  const struct textmap text = { &plan->elf.object, object->text->device,
                                object->text->inode, block->reserved };
  enum hugetext_reason why = HUGETEXT_NONE;
  bool gap;
  block->huge = now != NULL && now->huge > 0;
  block->backing = now != NULL ? now->backing : 0;
  block->copied = now != NULL && now->copied;
  if (look->undo)
    {
      block->wanted = changes_find (&look->record, planned->start) >= 0;
      if (block->wanted)
        block->refusal = judge_kind (look, object, planned->start, block);
      else if (block->huge)
        block->reason = REASON_NOT_ATTACHED;
      return;
    }
  if (look->all->heats != NULL && block->huge)
    block->movable = is_movable (look, object, plan, i, now);
  if (block->huge)
    planned->verdict = HUGETEXT_NO_TEXT;
  if (planned->verdict != HUGETEXT_TAKE)
    {
      if (!block->huge)
        block->reason = planned->verdict;
      return;
    }
  if (block->copied)
    why = (look->all->found.thp_disabled ? REASON_RECLAIMED
           : now->image                  ? REASON_SPLIT
                                         : REASON_COPY_SPLIT);
  if (why == HUGETEXT_NONE)
    why = textmap_obstacle (&text, &look->maps, planned->start, &gap);
  if (why == HUGETEXT_NONE)
    why = judge_kind (look, object, planned->start, block);
  if (why == HUGETEXT_NONE)
    why = textmap_private (look->pagemap, planned->start,
                           planned->start + procmaps_block ());
  if (why == HUGETEXT_NONE)
    return;
  planned->verdict = HUGETEXT_NO_TEXT;
  block->reason = why;
}

/* Return the mapping in which the text of OBJECT begins, or NULL if the text
   is not mapped.  */
static const struct mapping *
text_mapping (const struct hugetext_object *object,
              const struct procmaps *maps)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      return procmaps_find (maps, object->segment[i].start + object->bias);
  return NULL;
}

/* Find out how the text of OBJECT is mapped.  ELF describes OBJECT.  Reading
   smaps takes long.  For a program that has not executed an instruction yet,
   read smaps only if text can have the protection TRACEE_GUARD.  */
static void
look_at_text (struct looking *look, struct convert_object *object,
              const struct hugetext_object *elf)
{
  object->prot = PROT_READ | PROT_EXEC;
  object->start = hugetext_object_start (elf) + elf->bias;
  object->end = object->start + hugetext_object_length (elf);
  /* A program that was just executed has no locked memory, because execve
     removes all locks of memory.  */
  if (TRACEE_GUARD == 0 && look->all->fresh)
    return;
  struct problem problem;
  if (look->maps.count == 0
      && !inspect_details (&look->all->found.process, &look->maps, &problem))
    return;
  for (size_t i = procmaps_index (&look->maps, object->start);
       i < look->maps.count && look->maps.list[i].start < object->end; ++i)
    {
      object->locked |= look->maps.list[i].locked;
      object->watched |= look->maps.list[i].watched;
      object->kept_small |= look->maps.list[i].kept_small;
    }
  const struct mapping *map = text_mapping (elf, &look->maps);
  if (map != NULL && map->guarded)
    object->prot |= TRACEE_GUARD;
}

/* If the store has an image of OBJECT, which ELF describes, open this
   image.  */
static void
look_for_image (struct convert_object *object, const struct elf_object *elf)
{
  if (stored_image (object->fd, &elf->object, &object->image))
    object->image_fd
        = open (object->image.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Allocate the array of COUNT blocks of OBJECT.  If SHARED is true, allocate
   memory to which children of the command can also write.  */
static bool
make_blocks (struct convert_object *object, size_t count, bool shared)
{
  const size_t room = (count + 1) * sizeof *object->blocks;
  void *blocks
      = mmap (NULL, room, PROT_READ | PROT_WRITE,
              (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
  if (blocks == MAP_FAILED)
    return false;
  object->blocks = blocks;
  object->room = room;
  return true;
}

/* Allocate the plans of all objects that the inspector has found.  */
static void
convert_plan_allocate_plans (struct conversion *all)
{
  const size_t n = all->found.objects.count;
  all->plans = allocate (n * sizeof *all->plans);
  all->objects = allocate (n * sizeof *all->objects);
}

/* Add the object TEXT and its plan to the objects of LOOK.  ELF describes the
   object's file.  FD, a descriptor of this file, then belongs to the new
   entry, and is closed together with the entry.  Return false if there is no
   memory.  */
static bool
add_plan (struct looking *look, const struct object_text *text, int fd,
          const struct elf_object *elf, const struct plan_heat *heat)
{
  struct conversion *all = look->all;
  struct convert_object *object = &all->objects[all->count];
  struct plan *plan = &all->plans[all->count];
  plan_found (plan, elf, &all->settings, text->bias, true, heat);
  *object = (struct convert_object){
    .text = text, .fd = fd, .needs_path = plan->needs_path, .image_fd = -1
  };
  ++all->count;
  if (!make_blocks (object, plan->nblocks, !all->fresh))
    return false;
  look_at_text (look, object, &plan->elf.object);
  if (!look->undo)
    look_for_image (object, elf);
  return true;
}

/* Return true if the command leaves object I of LOOK's process unchanged.  ELF
   describes the object.  If the object stays unchanged and the command is not
   undoing earlier changes, add the number of the object's small blocks to the
   element of ALONE for the reason why the object stays unchanged.  */
static bool
convert_plan_is_skipped (struct looking *look, size_t i,
                         const struct elf_object *elf)
{
  struct problem problem;
  const struct inspection *found = &look->all->found;
  const struct object_text *text = &found->objects.list[i];
  const enum hugetext_reason why
      = inspect_alone (found, i, &look->all->settings, &problem);
  for (size_t k = 0; why != HUGETEXT_NONE && !look->undo && k < text->nblocks;
       ++k)
    look->all->alone[why] += text->blocks[k].huge == 0;
  /* The command does not trust the inspector, so check its answer.  */
  return (elf == NULL || !elfobject_check (elf, &problem)
          || (look->undo ? found->files[i].alone : why) != HUGETEXT_NONE);
}

/* Return true if ELF, the description of object I of LOOK's process, has
   blocks that could be huge.  */
static bool
has_blocks (const struct looking *look, size_t i, const struct elf_object *elf)
{
  const struct conversion *all = look->all;
  struct problem ignored;
  struct plan plan;
  bool any = false;
  if (inspect_alone (&all->found, i, &all->settings, &ignored)
      != HUGETEXT_NONE)
    return false;
  plan_found (&plan, elf, &all->settings, all->found.objects.list[i].bias,
              true, NULL);
  for (size_t k = 0; k < plan.nblocks; ++k)
    any |= plan.blocks[k].verdict == HUGETEXT_TAKE;
  plan_free (&plan);
  return any;
}

/* If object I is the program of LOOK's process, set the facts that
   hugetext_heat_counts needs about the program.  */
static void
look_at_program (struct looking *look, size_t i)
{
  const struct conversion *all = look->all;
  const struct elf_object *file = all->found.files[i].elf;
  const struct object_text *object = &all->found.objects.list[i];
  struct problem ignored;
  struct heat heat;
  const int fd = object->program ? objtext_open (all->pid, object) : -1;
  if (fd < 0)
    return;
  /* The command does not trust the inspector, so check its answer.  */
  if (file != NULL && elfobject_check (file, &ignored))
    {
      look->program_has_blocks = has_blocks (look, i, file);
      heat_read (&heat, NULL, fd, &file->object);
      look->program_profiled = heat.plan.heat.weight != NULL;
      heat_free (&heat);
    }
  close (fd);
}

/* Return the heat by which LOOK's process ranks blocks of OBJECT.  HEAT is the
   heat from the index.  */
static struct plan_heat
convert_plan_get_heat (const struct looking *look,
                       const struct object_text *object,
                       const struct heat *heat)
{
  const struct conversion *all = look->all;
  if (all->heats != NULL)
    return (struct plan_heat){ .heat = attach_heat_of (
                                   all->heats, object->device, object->inode),
                               .stays = true };
  if (hugetext_heat_counts (object->program, look->program_has_blocks,
                            look->program_profiled))
    return heat->plan;
  return (struct plan_heat){ .stays = heat->plan.stays };
}

/* Add object I and its plan to the objects of LOOK, unless the command leaves
   this object unchanged (convert_plan_is_skipped).  Return false if there is
   no memory.  */
static bool
convert_plan_add_object (struct looking *look, size_t i)
{
  struct conversion *all = look->all;
  const struct object_text *text = &all->found.objects.list[i];
  struct elf_object elf;
  struct heat heat;
  if (convert_plan_is_skipped (look, i, all->found.files[i].elf))
    return true;
  elf = *all->found.files[i].elf;
  /* Treat a static program like a dynamic program, because attach needs no
     loader.  */
  elf.statically_linked = false;
  const int fd = objtext_open (all->pid, text);
  if (fd < 0)
    return true;
  heat_read (&heat, NULL, fd, &elf.object);
  const struct plan_heat used = convert_plan_get_heat (look, text, &heat);
  const bool added = add_plan (look, text, fd, &elf, &used);
  heat_free (&heat);
  if (!added)
    return false;
  const size_t last = all->count - 1;
  for (size_t k = 0; k < all->plans[last].nblocks; ++k)
    convert_plan_judge_block (look, &all->objects[last], &all->plans[last], k);
  return true;
}

/* Choose the blocks of ALL's plans by heat.  At most CAP blocks will then be
   on huge pages, including blocks of code made at run time, which stay
   huge.  */
static void
cut_by_heat (struct conversion *all, size_t cap)
{
  const struct object_text *made = &all->found.objects.made;
  size_t count = 0, code = 0, n = 0;
  for (size_t i = 0; i < made->nblocks; ++i)
    code += made->blocks[i].huge == procmaps_block ();
  for (size_t i = 0; i < all->count; ++i)
    count += all->plans[i].nblocks;
  struct choose_block *blocks = allocate (count * sizeof *blocks);
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        const struct convert_block *block = &all->objects[i].blocks[k];
        const struct plan_block *planned = &all->plans[i].blocks[k];
        blocks[n++] = (struct choose_block){ .heat = planned->heat,
                                             .huge = block->huge,
                                             .movable = block->movable,
                                             .possible = planned->verdict
                                                         == HUGETEXT_TAKE };
      }
  choose_blocks (blocks, count, cap > code ? cap - code : 0,
                 all->heats->samples);
  n = 0;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k, ++n)
      {
        struct convert_block *block = &all->objects[i].blocks[k];
        block->wanted = blocks[n].choice == CHOICE_ADD;
        block->back = blocks[n].choice == CHOICE_BACK;
        if (!blocks[n].possible && !block->huge
            && block->reason == HUGETEXT_NONE)
          block->reason = all->plans[i].blocks[k].verdict;
        all->objects[i].kept_small
            |= block->back && block->backing == BACKING_FILE;
      }
  free (blocks);
}

/* Remove from ALL's plans the blocks that cannot get a huge page, so that
   other blocks can become huge within the cap.  If blocks are chosen by heat,
   any block of an object may become a copy.  So do not copy the block SPARE of
   an object: all other text of the object may become copies, and one block
   must stay mapped from the object's file.  */
static void
refuse (struct conversion *all)
{
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        struct plan_block *planned = &all->plans[i].blocks[k];
        planned->last = planned->spare && all->heats != NULL;
        if (planned->verdict == HUGETEXT_TAKE)
          planned->verdict
              = way_judge_backings (all, &all->objects[i], planned);
      }
}

/* If ALL's plans have more blocks than CAP, mark the blocks that can become
   huge without a copy as FREE, because plan_cut prefers blocks that use no
   memory of the process.  */
static void
find_free (struct conversion *all, size_t cap)
{
  size_t count = 0;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      count += all->plans[i].blocks[k].verdict == HUGETEXT_TAKE;
  for (size_t i = 0; count > cap && i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        struct plan_block *planned = &all->plans[i].blocks[k];
        planned->free = (planned->verdict == HUGETEXT_TAKE
                         && way_is_free (all, &all->objects[i], planned));
      }
}

/* Return true if PLAN, the plan of OBJECT, leaves block I mapped from the
   object's file.  A block on small pages is not mapped from the file if the
   kernel has split the huge page of a copy.  */
static bool
keeps_file (const struct convert_object *object, const struct plan *plan,
            size_t i)
{
  const struct convert_block *block = &object->blocks[i];
  return (block->huge
              ? block->backing == BACKING_FILE
              : !block->copied && plan->blocks[i].verdict != HUGETEXT_TAKE
                    && plan->blocks[i].text > 0);
}

/* To find the name of an object, tools need text that is mapped from the
   object's file.  If the plan would copy all text of an object, remove one
   block (SPARE) from the plan, unless this block can become huge without a
   copy.  The loader does the same after it has cut its plan to the cap.  */
static void
refuse_spare (struct conversion *all)
{
  for (size_t i = 0; i < all->count; ++i)
    {
      struct plan *plan = &all->plans[i];
      bool named = false;
      for (size_t k = 0; k < plan->nblocks; ++k)
        named |= keeps_file (&all->objects[i], plan, k);
      for (size_t k = 0; !named && k < plan->nblocks; ++k)
        {
          struct plan_block *planned = &plan->blocks[k];
          planned->last = planned->spare;
          if (planned->spare && planned->verdict == HUGETEXT_TAKE)
            planned->verdict
                = way_judge_backings (all, &all->objects[i], planned);
        }
    }
}

/* Shorten ALL's plans to the cap.  ALL's ledger first counts the blocks that
   the process already has on huge pages.  */
static void
cut (struct conversion *all)
{
  size_t used = 0, copies = 0, files = 0;
  /* Code made at run time is in private memory, like copies, so it counts as
     copies.  */
  for (size_t i = 0; i < all->found.objects.made.nblocks; ++i)
    used += all->found.objects.made.blocks[i].huge == procmaps_block ();
  copies = used;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        const struct convert_block *block = &all->objects[i].blocks[k];
        used += block->huge;
        files += block->huge && block->backing == BACKING_FILE;
        copies += block->huge && (block->backing & BACKINGS_SHARED) == 0;
      }
  const uint64_t max = settings_value (&all->settings, SETTING_MAX);
  all->ledger.cap = all->ledger.copies_cap = max;
  all->ledger.used.blocks = used;
  all->ledger.used.copies = copies;
  size_t cap = plan_cap (&all->settings);
  if (all->heats != NULL)
    cap = choose_cap (cap, max != 0, files, used - files);
  /* If blocks are chosen by heat, do not subtract the blocks that are already
     huge from the cap, because they may move back to small pages to make room
     for hotter blocks.  */
  all->places = all->heats != NULL ? cap : cap - hugetext_min (used, cap);
  refuse (all);
  if (all->heats != NULL)
    {
      cut_by_heat (all, cap);
      return;
    }
  cap = all->places;
  find_free (all, cap);
  plan_cut (all->plans, all->count, cap);
  refuse_spare (all);
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        struct convert_block *block = &all->objects[i].blocks[k];
        const struct plan_block *planned = &all->plans[i].blocks[k];
        block->wanted = planned->verdict == HUGETEXT_TAKE;
        if (!block->wanted && !block->huge && block->reason == HUGETEXT_NONE)
          block->reason = planned->verdict;
      }
}

/* Make plans for all objects of LOOK's process.  */
static bool
look_at_objects (struct looking *look, struct problem *problem)
{
  struct conversion *all = look->all;
  bool good = true;
  convert_plan_allocate_plans (all);
  for (size_t i = 0;
       !look->undo && all->heats == NULL && i < all->found.objects.count; ++i)
    look_at_program (look, i);
  for (size_t i = 0; good && i < all->found.objects.count; ++i)
    if (!all->found.objects.list[i].no_headers)
      good = convert_plan_add_object (look, i);
  if (!good)
    return problem_system (problem, ENOMEM);
  if (!look->undo)
    cut (all);
  return true;
}

/* The maximum number of mappings of a process, for kernels that cannot be
   queried about a single mapping (before Linux 6.11).  Before Linux 6.11 the
   command reads all mappings several times during each stop.  With 20,000
   mappings, a stop lasted a second on a busy machine.  For --undo, the number
   of mappings is not limited.  */
#define MAPPINGS_MOST 16384

/* Read the mappings of the process that LOOK describes.  Return false if the
   mappings cannot be read.  */
static bool
read_mappings (struct looking *look, struct problem *problem)
{
  if (!inspect_details (&look->all->found.process, &look->maps, problem))
    return false;
  if (look->maps.count > MAPPINGS_MOST && !look->undo
      && !procmaps_can_query ())
    return problem_set (
        problem,
        "the process has too many mappings: reading them would take too "
        "long while the process is stopped");
  return true;
}

bool
convert_plan (struct conversion *all, pid_t pid, long end,
              const struct settings *options, bool undo,
              const struct attach_heats *heats, struct problem *problem)
{
  *all = (struct conversion){ .pid = pid, .heats = heats, .end = end };
  if (!process_ask (pid, &all->found.process, problem))
    return false;
  /* Before all other facts, read the facts that identify the process (struct
     tracee_facts).  The command later compares them with the present facts
     about PID, and does nothing if PID is now another process.  */
  bool known = tracee_remember (pid, &all->facts);
  if (!inspect (pid,
                (INSPECT_ADVICE | INSPECT_RECORD | INSPECT_ELF
                 | (undo ? 0 : INSPECT_PATHS)),
                &all->found))
    {
      *problem = all->found.problem;
      return false;
    }
  budget_begin ();
  if (!known)
    return process_explain (&all->found.process, all->facts.error, problem);
  if (!convert_plan_judge_process (&all->found, undo, problem))
    return false;
  all->settings = all->found.settings;
  add_options (options, &all->settings);
  if (!undo && !attach_check_backing (&all->settings, problem))
    return false;

  char path[64];
  struct looking look = { .all = all, .undo = undo };
  if (undo && !changes_ask (&look.record, pid))
    return tracee_check_facts (pid, &all->facts, problem)
           && reason_set (problem, REASON_MEMORY_UNREADABLE);
  /* If the process has no record, attach has replaced no block in it.  */
  if (!undo && !changes_ask (&look.record, pid))
    look.record.count = 0;
  snprintf (path, sizeof path, "/proc/%d/pagemap", (int) pid);
  look.pagemap = open (path, O_RDONLY | O_CLOEXEC);
  if (look.pagemap < 0)
    return process_explain (&all->found.process, errno, problem);
  const bool good
      = read_mappings (&look, problem) && look_at_objects (&look, problem);
  procmaps_free (&look.maps);
  close (look.pagemap);
  /* The budget limits only the time for the plan.  End the budget before the
     process is changed, so that the budget does not interrupt the change.  */
  budget_end ();
  return good;
}

bool
convert_plan_program (struct conversion *all, pid_t pid, const char *file,
                      int fd, const struct elf_object *elf, uintptr_t bias,
                      const struct settings *settings,
                      const struct plan_heat *heat, struct problem *problem)
{
  struct looking look = { .all = all };
  struct stat status;
  struct object_text *text = allocate (sizeof *text);
  *all = (struct conversion){ .pid = pid,
                              .settings = *settings,
                              .fresh = true,
                              .end = thread_now () + BUDGET };
  all->found.process.pid = pid;
  all->found.objects = (struct object_list){ .list = text, .count = 1 };
  convert_plan_allocate_plans (all);
  if (fstat (fd, &status) < 0)
    return problem_system (problem, errno);
  if (!plan_check_name (&all->settings, file, problem)
      || !attach_check_backing (&all->settings, problem))
    return false;
  text->name = allocate_text (file);
  text->device = status.st_dev;
  text->inode = status.st_ino;
  text->bias = bias;
  const bool added = add_plan (&look, text, fd, elf, heat);
  procmaps_free (&look.maps);
  if (!added)
    return problem_system (problem, ENOMEM);
  cut (all);
  return true;
}
