/* The plan of a conversion: the blocks of a running process that can be huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The plan is the loader's own, for objects at their present place, without
   blocks that the process has changed since.  */

#include "attach/convert.h"
#include "attach/changes.h"
#include "index/file.h"
#include "object/loader.h"
#include "object/textmap.h"
#include "store/stored.h"
#include "host/looker.h"
#include "host/machine.h"
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

/* The time for one process from the first look at it, in nanoseconds.  */
#define BUDGET 20000000000L

/* Return why attach may not change FOUND, NULL if it may.  */
static const char *
judge (const struct inspection *found, bool undo)
{
  pid_t pid = found->process.pid;
  const char *foreign = tracee_foreign (pid);
  if (foreign != NULL)
    return foreign;
  if (process_is_secure (pid))
    return "it got rights of its own when it was executed (AT_SECURE), and is"
           " left alone as by the loader";
  if (undo)
    return NULL;
  if (machine_thp_off (procmaps_block ()))
    return "transparent huge pages are off: echo madvise"
           " >/sys/kernel/mm/transparent_hugepage/enabled";
  return NULL;
}

/* What the looker reads for the plan: memory and the index of the process, for
   which the kernel may wait for a file system of its user's.  */
struct reading
{
  pid_t pid;
  bool advised;             /* The index of the process is asked.  */
  struct settings settings; /* Of the process, and what the index adds.  */
  bool undo, recorded;      /* The record is wanted, and has been read.  */
  struct changes record;
};

static void
look (void *closure)
{
  struct reading *reading = closure;
  if (reading->advised)
    advice_add_process (&reading->settings, reading->pid);
  if (reading->undo)
    reading->recorded = changes_look (&reading->record, reading->pid);
}

/* Set SETTINGS by OPTIONS, which win over the process's own.  */
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

static void
set_reason (struct convert_block *block, const char *reason)
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
  struct changes record;
  int pagemap;
  bool undo;
};

/* Decide about block I of OBJECT by PLAN.  */
static void
judge_block (const struct looking *look, const struct convert_object *object,
             struct plan *plan, size_t i)
{
  struct convert_block *block = &object->blocks[i];
  struct plan_block *planned = &plan->blocks[i];
  const struct text_block *now = block_now (object->text, planned->start);
  const struct textmap text
      = { &plan->elf.object, object->text->device, object->text->inode };
  const char *problem = NULL;
  bool gap;
  block->huge = now != NULL && now->huge > 0;
  block->backing = now != NULL ? now->backing : 0;
  if (look->undo)
    {
      block->wanted = changes_find (&look->record, planned->start) >= 0;
      return;
    }
  if (block->huge)
    planned->verdict = HUGETEXT_NO_TEXT;
  if (planned->verdict != HUGETEXT_TAKE)
    {
      if (!block->huge)
        set_reason (block, plan_reason (planned, &look->all->settings));
      return;
    }
  if (now != NULL && now->copied)
    problem = "it is a copy already, whose huge page the kernel has split";
  if (problem == NULL)
    problem = textmap_obstacle (&text, &look->maps, planned->start, &gap);
  if (problem == NULL)
    problem = textmap_private (look->pagemap, planned->start,
                               planned->start + procmaps_block ());
  if (problem == NULL)
    return;
  planned->verdict = HUGETEXT_NO_TEXT;
  set_reason (block, problem);
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
  /* Locks of memory end at execve.  */
  if (TRACEE_GUARD == 0
      && (look->all->fresh || process_number (look->all->pid, "VmLck:") <= 0))
    return;
  if (look->maps.count == 0 && procmaps_read (look->all->pid, &look->maps) < 0)
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
  if (stored_image (object->fd, &elf->object, &object->image))
    object->image_fd
        = open (object->image.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Allocate COUNT blocks of OBJECT, in memory that a child of the command can
   write if SHARED.  */
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

/* Make room for the plans of all objects that were found.  */
static void
make_room (struct conversion *all)
{
  const size_t n = all->found.objects.count;
  all->plans = allocate (n * sizeof *all->plans);
  all->objects = allocate (n * sizeof *all->objects);
}

/* Add an object with the plan for TEXT, whose file is ELF and open on FD, to
   the objects of LOOK.  FD is closed with them.  False if there is no
   memory.  */
static bool
add_plan (struct looking *look, const struct object_text *text, int fd,
          const struct elf_object *elf, const struct plan_heat *heat)
{
  struct conversion *all = look->all;
  struct convert_object *object = &all->objects[all->count];
  struct plan *plan = &all->plans[all->count];
  plan_found (plan, elf, &all->settings, text->bias, heat);
  *object = (struct convert_object){ .text = text,
                                     .fd = fd,
                                     .program = tracee_runs (all->pid, fd),
                                     .image_fd = -1 };
  ++all->count;
  if (!make_blocks (object, plan->nblocks, !all->fresh))
    return false;
  look_at_text (look, object, &plan->elf.object);
  if (!look->undo)
    look_for_image (object, elf);
  return true;
}

/* Add an object with the plan for TEXT to the objects of LOOK.  False if there
   is no memory; nothing is added for an object that is left alone.  */
static bool
add_object (struct looking *look, const struct object_text *text)
{
  struct conversion *all = look->all;
  struct elf_object elf;
  struct heat heat;
  const int fd = objtext_open (all->pid, text);
  if (fd < 0)
    return true;
  const char *problem = elfobject_read (fd, &elf);
  /* Attach needs no loader, so a static program is treated like others.  */
  elf.statically_linked = false;
  if (problem != NULL || elfobject_problem (&elf) != NULL
      || loader_is_loader (text->name, fd)
      || (!look->undo && plan_forbidden (&all->settings, text->name) != NULL))
    {
      close (fd);
      return true;
    }
  heat_read (&heat, NULL, fd, &elf.object);
  const bool added = add_plan (look, text, fd, &elf, &heat.plan);
  heat_free (&heat);
  if (!added)
    return false;
  const size_t last = all->count - 1;
  for (size_t i = 0; i < all->plans[last].nblocks; ++i)
    judge_block (look, &all->objects[last], &all->plans[last], i);
  return true;
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
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        const struct convert_block *block = &all->objects[i].blocks[k];
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
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        struct convert_block *block = &all->objects[i].blocks[k];
        const struct plan_block *planned = &all->plans[i].blocks[k];
        block->wanted = planned->verdict == HUGETEXT_TAKE;
        if (!block->wanted && !block->huge && block->reason[0] == '\0')
          set_reason (block, plan_reason (planned, &all->settings));
      }
}

/* Plan all objects.  */
static const char *
look_at_objects (struct looking *look)
{
  struct conversion *all = look->all;
  bool good = true;
  make_room (all);
  for (size_t i = 0; good && i < all->found.objects.count; ++i)
    if (!all->found.objects.list[i].no_headers)
      good = add_object (look, &all->found.objects.list[i]);
  if (!good)
    return strerror (ENOMEM);
  if (!look->undo)
    cut (all);
  return NULL;
}

/* The most mappings of a process.  They are read several times in each stop,
   which 20,000 of them had last for a second on a busy machine.  */
#define MAPPINGS_MOST 16384

const char *
convert_plan (struct conversion *all, pid_t pid,
              const struct settings *options, bool undo)
{
  *all = (struct conversion){ .pid = pid, .end = thread_now () + BUDGET };
  const char *problem = process_ask (pid, &all->found.process);
  if (problem != NULL)
    return problem;
  /* Note the process's facts first: later facts belong to the same process, or
     nothing is done.  */
  bool known = tracee_remember (pid, &all->facts);
  problem = inspect (pid, false, &all->found);
  if (problem != NULL)
    return problem;
  budget_begin ();
  if (!known)
    return process_problem (&all->found.process, errno);
  problem = judge (&all->found, undo);
  if (problem != NULL)
    return problem;
  struct reading reading = { .pid = pid,
                             .advised = all->found.loader != INSPECTED_OURS,
                             .settings = all->found.settings,
                             .undo = undo };
  problem = looker_ask (pid, look, NULL, &reading, sizeof reading);
  if (problem != NULL)
    return problem;
  all->settings = reading.settings;
  add_options (options, &all->settings);

  char path[64];
  struct looking look = { .all = all, .undo = undo, .record = reading.record };
  if (undo && !reading.recorded)
    {
      problem = tracee_changed (pid, &all->facts);
      return problem != NULL ? problem
                             : "its memory cannot be read (/proc/PID/mem)";
    }
  snprintf (path, sizeof path, "/proc/%d/pagemap", (int) pid);
  look.pagemap = open (path, O_RDONLY | O_CLOEXEC);
  if (look.pagemap < 0)
    return process_problem (&all->found.process, errno);
  if (procmaps_read (pid, &look.maps) < 0)
    problem = process_problem (&all->found.process, errno);
  else
    {
      problem = look.maps.count > MAPPINGS_MOST
                    ? "it has so many mappings that to look at them would take"
                      " too long while it is stopped"
                    : look_at_objects (&look);
      procmaps_free (&look.maps);
    }
  close (look.pagemap);
  /* End the budget here: changes of the process must not stop half-way.  */
  budget_end ();
  return problem;
}

const char *
convert_plan_program (struct conversion *all, pid_t pid, const char *file,
                      int fd, const struct elf_object *elf, uintptr_t bias,
                      const struct settings *settings,
                      const struct plan_heat *heat)
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
  make_room (all);
  const char *problem = fstat (fd, &status) < 0
                            ? strerror (errno)
                            : plan_forbidden (&all->settings, file);
  if (problem != NULL)
    return problem;
  text->name = allocate_text (file);
  text->device = status.st_dev;
  text->inode = status.st_ino;
  text->bias = bias;
  const bool added = add_plan (&look, text, fd, elf, heat);
  procmaps_free (&look.maps);
  if (!added)
    return strerror (ENOMEM);
  cut (all);
  return NULL;
}
