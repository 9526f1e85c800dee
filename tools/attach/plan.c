/* The plan of a conversion: the blocks of a running process that can be huge,
   and the ways in which they can.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The plan is the loader's own, for objects at their present place, without
   blocks that the process has changed since.  */

#include "attach/convert.h"
#include "index/advice.h"
#include "object/loader.h"
#include "object/program.h"
#include "object/textmap.h"
#include "store/stored.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "tracee/thread.h"
#include "util/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The time for one process from the first look at it, in nanoseconds.  */
#define BUDGET 20000000000L

/* The time reserved for the end of the work, in nanoseconds.  */
#define END_TIME 5000000000L

/* Return why attach may not change FOUND, NULL if it may.  */
static const char *
judge (const struct inspection *found, bool undo)
{
  char path[64];
  const pid_t pid = found->process.pid;
  snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  const char *foreign = fd >= 0 ? program_foreign (fd) : NULL;
  if (fd >= 0)
    close (fd);
  if (foreign != NULL)
    return foreign;
  if (process_is_secure (pid))
    return "it got rights of its own when it was executed (AT_SECURE), and is"
           " left alone as by the loader";
  return !undo && machine_thp_off (procmaps_block ())
             ? "transparent huge pages are off: echo madvise"
               " >/sys/kernel/mm/transparent_hugepage/enabled"
             : NULL;
}

/* Fill SETTINGS for process FOUND; OPTIONS win over the process's own.  */
static void
read_settings (const struct inspection *found, const struct settings *options,
               struct settings *settings)
{
  inspect_read_settings (found, settings);
  const char *loader = inspect_loader (found);
  if (loader == NULL || strcmp (loader, "ld-hugetext") != 0)
    advice_add_process (settings, found->process.pid);
  for (size_t i = 0; i < SETTINGS; ++i)
    if (options->given[i])
      {
        settings->given[i] = settings->option[i] = true;
        settings->value[i] = options->value[i];
      }
}

void
convert_say (struct convert_block *block, const char *reason)
{
  snprintf (block->reason, sizeof block->reason, "%s", reason);
}

/* Return the block of OBJECT at START as it was found; NULL if there is
   none.  */
static const struct text_block *
block_now (const struct object_text *object, uintptr_t start)
{
  for (size_t i = 0; i < object->nblocks; ++i)
    if (object->blocks[i].start == start)
      return &object->blocks[i];
  return NULL;
}

/* The facts about the process that are needed while its objects are
   planned.  */
struct looking
{
  struct conversion *all;
  struct procmaps maps;
  int pagemap;
  bool undo;
};

bool
convert_is_replaced (const struct convert_block *block,
                     const struct procmaps *maps)
{
  const struct object_text *text = block->object->text;
  uintptr_t at = block->planned->start, end = at + procmaps_block ();
  struct hugetext_piece piece;
  bool replaced = false;
  for (;
       hugetext_next_piece (&block->object->plan->elf.object, at, end, &piece);
       at = piece.end)
    {
      const struct mapping *first = procmaps_find (maps, piece.start);
      const struct mapping *last = procmaps_find (maps, piece.end - 1);
      if (piece.segment->write || first == NULL || last == NULL
          || first->writable || last->writable || !first->readable
          || !last->readable
          || (piece.segment->exec && !(first->executable && last->executable)))
        return false;
      replaced |= first->inode != text->inode || first->device != text->device;
    }
  return replaced;
}

bool
convert_is_late (const struct conversion *all)
{
  return thread_now () > all->end - END_TIME;
}

/* Decide about BLOCK.  */
static void
judge_block (const struct looking *look, struct convert_block *block)
{
  struct plan_block *planned = block->planned;
  const struct object_text *object = block->object->text;
  const struct text_block *now = block_now (object, planned->start);
  const struct textmap text
      = { &block->object->plan->elf.object, object->device, object->inode };
  const char *problem = NULL;
  block->huge = now != NULL && now->huge > 0;
  block->backing = now != NULL ? now->backing : 0;
  if (look->undo)
    {
      block->wanted = convert_is_replaced (block, &look->maps);
      return;
    }
  if (planned->verdict == HUGETEXT_TAKE && !block->huge)
    {
      if (now != NULL && now->copied)
        problem = "it is a copy already, whose huge page the kernel has split";
      if (problem == NULL)
        problem = textmap_obstacle (&text, &look->maps, planned->start);
      if (problem == NULL)
        problem = textmap_private (look->pagemap, planned->start,
                                   planned->start + procmaps_block ());
    }
  else if (!block->huge)
    problem = plan_reason (planned, &look->all->settings);
  if (problem != NULL)
    convert_say (block, problem);
  if (problem != NULL || block->huge)
    planned->verdict = HUGETEXT_NO_TEXT;
}

/* Return the mapping in which the text of OBJECT begins, NULL if there is
   none.  */
static const struct mapping *
text_mapping (const struct hugetext_object *object,
              const struct procmaps *maps)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    if (hugetext_is_text (&object->segment[i]))
      return procmaps_find (maps, object->segment[i].start + object->bias);
  return NULL;
}

/* Find out how the text of OBJECT is mapped, besides ELF's description.  The
   file with the details takes long to read, so it is read only where they can
   matter.  */
static void
look_at_text (struct looking *look, struct convert_object *object,
              const struct hugetext_object *elf)
{
  object->prot = PROT_READ | PROT_EXEC;
  if (TRACEE_GUARD == 0 && process_number (look->all->pid, "VmLck:") <= 0)
    return;
  procmaps_details (look->all->pid, &look->maps);
  const struct mapping *map = text_mapping (elf, &look->maps);
  if (map == NULL)
    return;
  object->locked = map->locked;
  if (map->guarded)
    object->prot |= TRACEE_GUARD;
}

/* Open the image of OBJECT, with ELF, if there is one.  */
static void
look_for_image (struct convert_object *object, const struct elf_object *elf)
{
  object->stored = stored_image (object->fd, &elf->object, &object->image);
  if (object->stored)
    object->image_fd
        = open (object->image.image.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  object->stored = object->stored && object->image_fd >= 0;
}

/* Add the blocks of OBJECT to ALL's.  False if there is no memory.  */
static bool
add_blocks (struct looking *look, struct convert_object *object)
{
  struct conversion *all = look->all;
  const struct plan *plan = object->plan;
  struct convert_block *blocks = reallocarray (
      all->blocks, all->nblocks + plan->nblocks + 1, sizeof *blocks);
  if (blocks == NULL)
    return false;
  all->blocks = blocks;
  for (size_t i = 0; i < plan->nblocks; ++i)
    {
      struct convert_block *block = &blocks[all->nblocks++];
      *block = (struct convert_block){ .object = object,
                                       .planned = &plan->blocks[i] };
      judge_block (look, block);
    }
  return true;
}

/* Whether OBJECT's file is the program of process PID.  */
static bool
is_program (pid_t pid, const struct convert_object *object)
{
  struct stat exe, file;
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/exe", (int) pid);
  return (stat (path, &exe) == 0 && fstat (object->fd, &file) == 0
          && exe.st_ino == file.st_ino && exe.st_dev == file.st_dev);
}

/* Add an object with the plan for TEXT to ALL's objects.  False if there is no
   memory; nothing is added for an object that is left alone.  */
static bool
add_object (struct looking *look, const struct object_text *text)
{
  struct conversion *all = look->all;
  struct convert_object *object = &all->objects[all->count];
  struct elf_object elf;
  struct heat heat;
  *object = (struct convert_object){ .text = text,
                                     .plan = &all->plans[all->count],
                                     .image_fd = -1 };
  object->fd = objtext_open (all->pid, text);
  if (object->fd < 0)
    return true;
  if (elfobject_read (object->fd, &elf) != NULL
      || elfobject_problem (&elf) != NULL
      || loader_is_loader (text->name, object->fd)
      || (!look->undo && plan_forbidden (&all->settings, text->name) != NULL))
    {
      close (object->fd);
      return true;
    }
  ++all->count;
  /* Attach needs no loader, so a static program is treated like others.  */
  elf.statically_linked = false;
  heat_read (&heat, NULL, object->fd, &elf.object);
  const bool planned = plan_found (object->plan, &elf, &all->settings,
                                   text->bias, &heat.plan);
  heat_free (&heat);
  if (!planned)
    return false;
  object->program = is_program (all->pid, object);
  look_at_text (look, object, &object->plan->elf.object);
  if (!look->undo)
    look_for_image (object, &elf);
  return add_blocks (look, object);
}

/* Cut ALL's plans at the cap, and open its ledger with the blocks that the
   process has already.  */
static void
cut (struct conversion *all)
{
  size_t used = 0, copies = 0;
  /* Code made at run time takes memory of the process, as copies do.  */
  for (size_t i = 0; i < all->found.objects.made.nblocks; ++i)
    used += all->found.objects.made.blocks[i].huge == procmaps_block ();
  copies = used;
  for (size_t i = 0; i < all->nblocks; ++i)
    {
      const struct convert_block *block = &all->blocks[i];
      used += block->huge;
      copies += block->huge
                && (block->backing & (BACKING_FILE | BACKING_STORE)) == 0;
    }
  all->ledger.cap = all->ledger.copies_cap
      = settings_value (&all->settings, SETTING_MAX);
  all->ledger.used.blocks = used;
  all->ledger.used.copies = copies;
  size_t cap = plan_cap (&all->settings);
  plan_cut (all->plans, all->count, cap > used ? cap - used : 0);
  for (size_t i = 0; i < all->nblocks; ++i)
    {
      struct convert_block *block = &all->blocks[i];
      block->wanted = block->planned->verdict == HUGETEXT_TAKE;
      if (!block->wanted && !block->huge && block->reason[0] == '\0')
        convert_say (block, plan_reason (block->planned, &all->settings));
    }
}

/* Plan all objects.  */
static const char *
look_at_objects (struct looking *look)
{
  struct conversion *all = look->all;
  size_t n = all->found.objects.count;
  all->plans = calloc (n + 1, sizeof *all->plans);
  all->objects = calloc (n + 1, sizeof *all->objects);
  bool good = all->plans != NULL && all->objects != NULL;
  for (size_t i = 0; good && i < n; ++i)
    if (!all->found.objects.list[i].no_headers)
      good = add_object (look, &all->found.objects.list[i]);
  if (!good)
    return strerror (ENOMEM);
  if (!look->undo)
    cut (all);
  return NULL;
}

const char *
convert_plan (struct conversion *all, pid_t pid,
              const struct settings *options, bool undo)
{
  *all = (struct conversion){ .pid = pid, .end = thread_now () + BUDGET };
  /* Note the process's facts first: later facts belong to the same process, or
     nothing is done.  */
  bool known = tracee_remember (pid, &all->facts);
  const char *problem = inspect (pid, &all->found);
  if (problem != NULL)
    return problem;
  if (!known)
    return process_problem (&all->found.process, errno);
  problem = judge (&all->found, undo);
  if (problem != NULL)
    return problem;
  read_settings (&all->found, options, &all->settings);

  char path[64];
  struct looking look = { .all = all, .undo = undo };
  snprintf (path, sizeof path, "/proc/%d/pagemap", (int) pid);
  look.pagemap = open (path, O_RDONLY | O_CLOEXEC);
  if (look.pagemap < 0)
    return process_problem (&all->found.process, errno);
  if (procmaps_read (pid, &look.maps) < 0)
    problem = process_problem (&all->found.process, errno);
  else
    {
      problem = look_at_objects (&look);
      procmaps_free (&look.maps);
    }
  close (look.pagemap);
  /* End the budget here: changes of the process must not stop half-way.  */
  budget_end ();
  return problem;
}

void
convert_free (struct conversion *all)
{
  for (size_t i = 0; i < all->count; ++i)
    {
      plan_free (&all->plans[i]);
      if (all->objects[i].fd >= 0)
        close (all->objects[i].fd);
      if (all->objects[i].image_fd >= 0)
        close (all->objects[i].image_fd);
    }
  free (all->plans);
  free (all->objects);
  free (all->blocks);
  inspect_free (&all->found);
}

size_t
way_copies_left (struct conversion *all)
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
  return way_copies_left (all) > 0
             ? NULL
             : "no copies: memory, or a limit of it, leaves no room";
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
  const struct filecache_piece piece = filecache_look (fd, offset);
  if (piece.state == PIECE_HUGE || piece.state == PIECE_SHORT)
    return piece.state == PIECE_HUGE;
  /* Pages that are gathered stay in the cache, and are still in use.  */
  return (((piece.state != PIECE_SMALL || renew) && !piece.dirty)
          || filecache_gathers (fd))
         && filecache_fill (fd, offset) == PIECE_HUGE;
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
      return question->object->stored && !question->facts->serves;
    case HUGETEXT_MAY_COLLAPSE:
    case HUGETEXT_MAY_ANONYMOUS:
      return question->facts->no_copies == NULL;
    default:
      /* The command is the only tracer, and makes no memory files in the
         process.  */
      return false;
    }
}

/* Return the backings that BLOCK can have: the shared ones, or copies if
   COPIES.  */
static struct hugetext_chain
chain_of (const struct way_facts *facts, const struct convert_block *block,
          bool copies)
{
  struct question question = { facts, block->object };
  const struct hugetext_wish wish = {
    .choice = settings_value (&facts->all->settings, SETTING_BACKING),
    .congruent = block->planned->congruent,
    .file_ruled_out = facts->serves,
    .cold = plan_is_cold (block->planned),
    .ask = answer,
    .closure = &question,
  };
  return copies ? hugetext_chain_of_copies (&wish)
                : hugetext_chain_of_shared (&wish);
}

bool
way_can_be_had (const struct way_facts *facts,
                const struct convert_block *block, enum way way,
                uint64_t *offset)
{
  const struct convert_object *object = block->object;
  const struct plan_block *planned = block->planned;
  const struct hugetext_chain chain = chain_of (facts, block, way == WAY_COPY);
  *offset = way == WAY_FILE ? planned->offset : 0;
  switch (way)
    {
    case WAY_FILE:
      return (hugetext_chain_has (&chain, HUGETEXT_WAY_FILE)
              && is_cached_huge (object->fd, planned->offset, false));
    case WAY_STORE:
      return (hugetext_chain_has (&chain, HUGETEXT_WAY_STORE)
              && hugetext_image_block (
                  &object->image.image,
                  planned->start - object->plan->elf.object.bias, offset)
              && is_cached_huge (object->image_fd, *offset, true));
    default:
      return hugetext_chain_has (&chain, HUGETEXT_WAY_THP);
    }
}

const char *
way_why_left (const struct way_facts *facts, const struct convert_block *block)
{
  struct hugetext_chain chain = chain_of (facts, block, true);
  if (chain.n > 0)
    return "";
  if (chain.why == HUGETEXT_MADE)
    chain = chain_of (facts, block, false);
  switch (chain.why)
    {
    case HUGETEXT_FILE_SMALL:
      return "its file is not cached in huge pages (hugetext prime)";
    case HUGETEXT_NOT_CONGRUENT:
      return "its file's huge pages do not fit where it is mapped";
    case HUGETEXT_NOT_STORED:
      return block->object->stored ? "its image in the store does not fit"
                                     " where it is mapped"
                                   : "the store has no image of it";
    case HUGETEXT_NOT_WORTH:
      return "a profile has never seen it executing: no copy";
    default:
      return facts->no_copies != NULL ? facts->no_copies : "";
    }
}
