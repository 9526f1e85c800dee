/* Collect, in the inspector (host/inspector.h), what the kernel and a process
   report about the process's text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/collect.h"
#include "hugetext-code.h"
#include "host/brief.h"
#include "host/procfile.h"
#include "index/file.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "object/maps-reader.h"
#include "object/plan.h"
#include "object/reason.h"
#include "object/program.h"
#include "text/answer.h"
#include "trust/identity.h"
#include "trust/mount.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Set STATUS to the status of the root directory of process PID.  */
static bool
find_root (pid_t pid, struct stat *status)
{
  const int fd = procfile_root (pid);
  const bool good = fd >= 0 && fstat (fd, status) == 0;
  if (fd >= 0)
    close (fd);
  return good;
}

/* Return true if root accepts the file FD, which is mapped from DEVICE, as
   ld-hugetext.so.  Any user can write a file that claims to be ld-hugetext.so,
   even in memory (memfd_create), so root asks the kernel whether only root can
   have written FD.  */
static bool
is_believed (int fd, dev_t device)
{
  struct stat root;
  if (!find_root (getpid (), &root))
    return false;
  FILE *mounts = procfile_stream (getpid (), "mountinfo");
  const bool believed = identity_is_of_root (fd, root.st_dev, device, mounts);
  if (mounts != NULL)
    fclose (mounts);
  return believed;
}

/* Return the kind of loader that OBJECT's file is.  OBJECT is in FOUND's
   process; AS_ROOT is true if the command runs as root.  If the file is
   ld-hugetext.so, set FOUND's version and build.  Because most processes have
   the same loader, keep the result for a second (like the segments of files in
   object/elfobject).  */
static enum inspected_loader
collect_read_loader (struct inspection *found,
                     const struct object_text *object, bool as_root)
{
  const pid_t pid = found->process.pid;
  static struct
  {
    dev_t device;
    ino_t inode; /* The inode number of the last file, or 0 if there is no
                    earlier result.  */
    int64_t second;
    enum inspected_loader kind;
    char version[sizeof found->version], build[sizeof found->build];
  } last;
  struct loader loader;
  struct problem problem;
  const int64_t second = clock_milliseconds () / 1000;
  /* On btrfs (which has a device number without a major number), a user's
     subvolume can have the inode number of root's file.  */
  const bool unique = !as_root || major (object->device) != 0;
  if (unique && last.inode != 0 && last.inode == object->inode
      && last.device == object->device && last.second == second)
    {
      strcpy (found->version, last.version);
      strcpy (found->build, last.build);
      return last.kind;
    }
  const int fd = objtext_open (pid, object);
  if (fd < 0)
    return INSPECTED_UNKNOWN;
  const bool loads = loader_read_fd (fd, &loader) && loader.loads;
  const bool claimed
      = loads && loader.ours && as_root && !is_believed (fd, object->device);
  close (fd);
  if (!budget_check (&problem))
    return INSPECTED_UNKNOWN;
  /* Cache the result for other processes only if the file is a loader that the
     command accepts.  If the command does not accept the file, the cause may
     be the inspected process: for example, the file may be on a mount that
     only this process has.  */
  if (!loads)
    return INSPECTED_NONE;
  if (claimed)
    return INSPECTED_CLAIMED;
  const enum inspected_loader kind
      = loader.ours ? INSPECTED_OURS : INSPECTED_OTHER;
  last
      = (typeof (last)){ object->device, object->inode, second, kind, "", "" };
  if (loader.ours)
    {
      snprintf (last.version, sizeof last.version, "%s", loader.own);
      strcpy (last.build, loader.build);
    }
  strcpy (found->version, last.version);
  strcpy (found->build, last.build);
  return kind;
}

/* Return the kind of the loader among the objects of FOUND.  If the loader is
   ld-hugetext.so, set FOUND's version and build.  AS_ROOT has the same meaning
   as in collect_read_loader.  */
static enum inspected_loader
collect_find_loader (struct inspection *found, bool as_root)
{
  struct problem problem;
  enum inspected_loader result = INSPECTED_NONE;
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      const struct object_text *object = &found->objects.list[i];
      /* Check the name of the file first, because reading the file is
         slower.  */
      if (!loader_named (object->name))
        continue;
      const enum inspected_loader kind
          = collect_read_loader (found, object, as_root);
      if (kind == INSPECTED_UNKNOWN || kind == INSPECTED_OURS)
        return kind;
      if (kind > result)
        result = kind;
    }
  return budget_check (&problem) ? result : INSPECTED_UNKNOWN;
}

/* Read the record of FOUND's process, if its loader is ld-hugetext.so.  */
static void
collect_read_record (struct inspection *found)
{
  if (found->loader != INSPECTED_OURS)
    return;
  found->recorded = record_of_process (found->process.pid, &found->objects,
                                       &found->record, &found->record_problem);
}

/* Return true if settings have an effect on the process of FOUND.  Settings
   have an effect if the process's loader is ld-hugetext.so.  Settings also
   have an effect if the process has no loader, because its program is
   statically linked: "hugetext run" makes the text of static programs
   huge.  */
static bool
takes_settings (const struct inspection *found)
{
  return ((found->loader == INSPECTED_OURS || found->loader == INSPECTED_NONE)
          && !found->secure);
}

/* Return true if FOUND's process has hugetext-code.so.  */
static bool
has_code_object (const struct inspection *found)
{
  for (size_t i = 0; i < found->objects.count; ++i)
    if (objtext_has_code_name (&found->objects.list[i]))
      return true;
  return false;
}

/* Return true if BLOCK of code made at run time is full enough for
   hugetext-code.so to make it huge.  */
static bool
collect_is_full_block (const struct text_block *block)
{
  return (block->huge + block->small
          >= HUGETEXT_CODE_ENOUGH (elfobject_geometry ().block));
}

/* Return true if MADE, code made at run time, has blocks, but no block that is
   full enough for hugetext-code.so to make it huge.  */
static bool
is_sparse (const struct object_text *made)
{
  for (size_t i = 0; i < made->nblocks; ++i)
    if (made->blocks[i].guessed || collect_is_full_block (&made->blocks[i]))
      return false;
  return made->nblocks > 0;
}

/* Return true if MADE, code made at run time, has a block that is full enough
   for hugetext-code.so, but no huge block.  */
static bool
collect_has_missed_block (const struct object_text *made)
{
  bool full = false;
  for (size_t i = 0; i < made->nblocks; ++i)
    {
      if (made->blocks[i].huge > 0)
        return false;
      full |= !made->blocks[i].guessed
              && collect_is_full_block (&made->blocks[i]);
    }
  return full;
}

/* Return how many blocks of code made at run time are on small pages because
   the cap of FOUND's process is used up.  Huge blocks of text and of code
   count toward the same cap.  */
static size_t
count_code_beyond (const struct inspection *found)
{
  const struct object_text *made = &found->objects.made;
  size_t small = 0, huge = 0;
  for (size_t i = 0; i < made->nblocks; ++i)
    {
      const struct text_block *block = &made->blocks[i];
      huge += block->huge > 0;
      small += !block->guessed && block->huge == 0
               && collect_is_full_block (block);
    }
  return (record_made (&found->record) + huge >= plan_cap (&found->settings)
              ? small
              : 0);
}

/* Set CODE_LEFT in FOUND to the reason why code made at run time stays on
   small pages.  Call this function after the settings of FOUND are set.  */
static void
judge_code (struct inspection *found)
{
  const char *why = "";
  if ((settings_value (&found->settings, SETTING_MODE) & SETTINGS_CODE) == 0)
    return;
  if (found->loader == INSPECTED_NONE)
    why = "the program is statically linked";
  else if (inspect_is_unnamed (found))
    {
      snprintf (found->code_left, sizeof found->code_left,
                "%s does not name the program, or the loader could not read "
                "the path of the program",
                settings_list_name ());
      return;
    }
  else if (found->recorded)
    why = hugetext_code_text (found->record.root.code_left_alone);
  if (why[0] == '\0' && !has_code_object (found))
    why = "the process has not mapped " HUGETEXT_CODE_FILE;
  if (why[0] == '\0' && is_sparse (&found->objects.made))
    why = "no block holds enough code: at least three quarters of its pages "
          "must hold code";
  if (why[0] == '\0' && found->recorded)
    found->code_beyond_cap = count_code_beyond (found);
  if (why[0] == '\0' && found->code_beyond_cap == 0
      && collect_has_missed_block (&found->objects.made))
    why = "hugetext-code.so put no full block on a huge page, for one of "
          "three reasons (LD_DEBUG=files prints which): one call made many "
          "full blocks executable, the program called neither mmap nor "
          "mprotect after filling a block, or the kernel had no free huge "
          "page";
  snprintf (found->code_left, sizeof found->code_left, "%s", why);
}

/* Set SETTINGS to the settings that process PID would have if it were started
   now.  */
static void
read_present (pid_t pid, struct settings *settings)
{
  char *tunables = process_tunables (pid);
  settings_read (settings, tunables);
  free (tunables);
  advice_add_process (settings, pid);
}

/* FOUND's loader has made nothing huge, because no setting switched huge pages
   on when the process started.  The index may have switched huge text on only
   after the program started.  In this case, remember which setting does so,
   and remove the index's settings from FOUND, because they are not in force.
   If a filter kept the loader from opening the index, the settings in the
   index do not apply, even if they are older than the process.  */
static void
take_back_advice (struct inspection *found)
{
  const char *source = settings_source (&found->settings, HUGETEXT_KEY_MODE);
  if (found->settings.given[SETTING_MODE] || !settings_on (&found->settings)
      || source == NULL || elfobject_geometry ().block == 0)
    return;
  if (!inspect_is_refused (found))
    snprintf (found->since, sizeof found->since, "%s", source);
  found->outdated = found->since[0] != '\0';
  found->settings.advice = (struct hugetext_advice){ .given = 0 };
}

/* Set FOUND's settings.  */
static void
read_settings (struct inspection *found)
{
  const pid_t pid = found->process.pid;
  const struct hugetext_root *root = &found->record.root;
  if (!takes_settings (found))
    {
      if ((found->flags & INSPECT_ADVICE) != 0
          && found->loader != INSPECTED_OURS)
        advice_add_process (&found->settings, pid);
      return;
    }
  read_present (pid, &found->settings);
  if (found->recorded && found->record.kept)
    {
      static struct settings started;
      record_settings (&found->record, &started);
      found->outdated = settings_differ (&started, &found->settings);
      started.limited = found->settings.limited;
      found->settings = started;
    }
  else if (found->recorded && root->text == 0 && root->code == 0)
    take_back_advice (found);
  judge_code (found);
}

/* OBJECT, which ELF describes, is not in the record of FOUND's process.  For
   each block of OBJECT, set the verdict in FILE to the verdict of the loader's
   policy.  */
static void
judge_blocks (const struct inspection *found, const struct object_text *object,
              const struct elf_object *elf, struct inspected_file *file)
{
  struct plan plan;
  plan_found (&plan, elf, &found->settings, object->bias,
              !found->record.root.no_slack, NULL);
  file->verdicts = allocate (object->nblocks * sizeof *file->verdicts);
  for (size_t i = 0; i < object->nblocks; ++i)
    file->verdicts[i] = HUGETEXT_TAKE;
  for (size_t i = 0; i < object->nblocks && budget_spend (0); ++i)
    {
      for (size_t k = 0; k < plan.nblocks; ++k)
        if (plan.blocks[k].start == object->blocks[i].start)
          file->verdicts[i] = plan.blocks[k].verdict;
    }
  plan_free (&plan);
}

/* Set RECORD and WEIGHT to the heat of the file FD, from INDEX.  Return false
   if INDEX has no heat of the file.  */
static bool
find_heat (const struct hugetext_index *index, int fd,
           struct hugetext_index_heat *record,
           uint16_t weight[static HUGETEXT_HEAT_GRANULES])
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return false;
  const struct hugetext_identity identity = identity_of (&status);
  return hugetext_index_heat (index, &identity, record, weight,
                              HUGETEXT_HEAT_GRANULES);
}

/* If INDEX has the heat of OBJECT in process PID, set OBJECT's heat, and note
   that its text has a profile.  If INDEX does not have the heat of OBJECT,
   return false.  */
static bool
collect_read_heat (pid_t pid, const struct hugetext_index *index,
                   struct object_text *object)
{
  static uint16_t weight[HUGETEXT_HEAT_GRANULES];
  const struct hugetext_geometry geo = elfobject_geometry ();
  const struct hugetext_object place = { .bias = object->bias };
  struct hugetext_index_heat record;
  const int fd = budget_spend (0) ? objtext_open (pid, object) : -1;
  const bool known = fd >= 0 && find_heat (index, fd, &record, weight);
  if (fd >= 0)
    close (fd);
  if (!known)
    return false;
  object->sums.unprofiled = 0;
  const struct hugetext_heat heat
      = { .first = record.first, .granules = record.granules, weight };
  for (size_t i = 0; i < object->nblocks && budget_spend (0); ++i)
    {
      const struct text_block *block = &object->blocks[i];
      const size_t used = block->huge + block->small;
      const uint64_t here
          = hugetext_block_heat (&place, &geo, &heat, block->start);
      object->sums.heat += here;
      object->sums.hot += used > 0 ? here * block->huge / used : 0;
    }
  return true;
}

/* Return true if the file of OBJECT in process PID is a program.  */
static bool
collect_is_program (pid_t pid, const struct object_text *object)
{
  struct elf_object elf;
  struct problem ignored;
  const int fd = loader_named (object->name) ? -1 : objtext_open (pid, object);
  if (fd < 0)
    return false;
  const bool program = elfobject_read (fd, &elf, &ignored) && elf.program;
  close (fd);
  return program;
}

/* Mark the program among FOUND's objects.  If the process has executed a
   loader (ld.so PROGRAM), mark the object of the program instead of the
   loader.  */
static void
mark_program (struct inspection *found)
{
  const struct object_list *objects = &found->objects;
  const pid_t pid = found->process.pid;
  struct object_text *program;
  objtext_executed (pid, objects, &program);
  if (program != NULL && loader_named (program->name))
    {
      program = NULL;
      for (size_t i = 0; program == NULL && i < objects->count; ++i)
        if (collect_is_program (pid, &objects->list[i]))
          program = &objects->list[i];
    }
  if (program != NULL)
    program->program = true;
}

/* Return true if the loader of process PID is still running, so that no text
   of the program has been used yet.  OBJECTS contain the sizes of used text.
   If the process has executed the loader itself (ld.so PROGRAM), return true
   only if OBJECTS contain no used text except that of the loader.  */
static bool
is_loading (pid_t pid, const struct object_list *objects)
{
  struct object_text *executed;
  if (!objtext_executed (pid, objects, &executed))
    return true;
  const bool loader = executed != NULL && loader_named (executed->name);
  bool used = executed == NULL;
  for (size_t i = 0; i < objects->count; ++i)
    {
      const struct object_text *object = &objects->list[i];
      if (loader ? !loader_named (object->name) : object == executed)
        used |= object->sums.huge + object->sums.small > 0;
    }
  return !used;
}

/* Set the heat of FOUND's objects, from INDEX.  Use the profiles of libraries
   only if the program itself has a profile: if it has none, the profiles of
   its libraries come from other programs.  */
static void
read_index_heats (struct inspection *found, const struct hugetext_index *index)
{
  const pid_t pid = found->process.pid;
  struct object_text *program = objtext_program (&found->objects);
  if (program == NULL || program->no_headers
      || !collect_read_heat (pid, index, program))
    return;
  for (size_t i = 0; i < found->objects.count; ++i)
    if (&found->objects.list[i] != program
        && !found->objects.list[i].no_headers)
      collect_read_heat (pid, index, &found->objects.list[i]);
}

/* Set the heat of FOUND's objects, from the index that the loader in FOUND's
   process reads.  Objects without a profile are UNPROFILED.  Do not count
   the loader and hugetext-code.so, because the process spends no time in them,
   and may have been profiled without them.  */
static void
read_heats (struct inspection *found)
{
  struct problem problem;
  struct index_file file;
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      struct object_text *object = &found->objects.list[i];
      if (!loader_named (object->name) && !objtext_has_code_name (object))
        object->sums.unprofiled = object->sums.huge + object->sums.small;
    }
  if (!index_file_open (&file, procfile_index (found->process.pid), 0,
                        &problem))
    return;
  if (file.index.header.heats > 0)
    read_index_heats (found, &file.index);
  index_file_close (&file);
}

/* If the loader skips every object with the description ELF, return the
   reason, and set PROBLEM to the text of the reason; if not, return
   HUGETEXT_NONE.  LOADER is true if the file is a loader.  */
static enum hugetext_reason
reason_alone (const struct elf_object *elf, bool loader,
              struct problem *problem)
{
  if (!elfobject_check (elf, problem))
    return elf->text_relocations ? HUGETEXT_TEXT_RELOCATIONS
                                 : REASON_LEFT_ALONE;
  if (!loader)
    return HUGETEXT_NONE;
  reason_set (problem, REASON_IS_LOADER);
  return REASON_IS_LOADER;
}

/* Set FILE to the description of OBJECT's file.  OBJECT is in FOUND's
   process.  */
static void
collect_read_file (const struct inspection *found,
                   const struct object_text *object,
                   struct inspected_file *file)
{
  struct elf_object elf;
  struct problem problem = { 0 };
  int fd = objtext_open (found->process.pid, object);
  *file = (struct inspected_file){ .alone = (fd < 0 ? REASON_FILE_UNREADABLE
                                                    : REASON_LEFT_ALONE) };
  if (fd < 0)
    reason_set (&problem, file->alone);
  else if (elfobject_read (fd, &elf, &problem))
    {
      if ((found->flags & INSPECT_PATHS) != 0 && object->nblocks > 0)
        maps_reader_describe (fd, object->name, &elf);
      if ((found->flags & INSPECT_ELF) != 0)
        {
          file->elf = allocate (sizeof *file->elf);
          *file->elf = elf;
        }
      file->alone
          = reason_alone (&elf, loader_is_loader (object->name, fd), &problem);
    }
  if (fd >= 0)
    close (fd);
  snprintf (file->problem, sizeof file->problem, "%.*s",
            (int) sizeof file->problem - 1, problem.text);
  if (file->alone != HUGETEXT_NONE)
    return;
  file->fixed = elf.fixed;
  /* A static program has no loader and no record.  */
  if (found->loader == INSPECTED_NONE
      || (found->recorded
          && record_find (&found->record, object->bias) == NULL))
    judge_blocks (found, object, &elf, file);
}

/* Return true if the root directory of process PID is on a mount that this
   process sees in /proc/self/mountinfo.  */
static bool
root_is_ours (pid_t pid)
{
  struct mount mount = { .number = -1 };
  char *line = NULL;
  size_t room = 0;
  const int number = procfile_root_mount (pid);
  FILE *stream = number >= 0 ? procfile_stream (getpid (), "mountinfo") : NULL;
  if (stream == NULL)
    return false;
  bool found = false;
  while (!found && mount_read (stream, &line, &room, &mount))
    found = mount.number == number;
  free (line);
  fclose (stream);
  return found;
}

/* Compare the root directories of FOUND's process and of this process: they
   may be the same directory, different directories in one mount namespace, or
   directories in different mount namespaces.  The root directories of
   containers, and of chroots in containers, are on mounts that are not in this
   process's table of mounts.  */
static void
compare_root (struct inspection *found)
{
  const pid_t pid = found->process.pid;
  struct stat ours, its;
  found->elsewhere
      = !(find_root (pid, &its) && find_root (getpid (), &ours)
          && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino);
  found->contained = found->elsewhere && !root_is_ours (pid);
}

/* Return true if BLOCK is on small pages now, but was a huge page of the
   object's file when the loader finished.  REASON is the reason for BLOCK in
   the loader's record.  */
static bool
was_huge_file (enum hugetext_reason reason, const struct text_block *block)
{
  return (hugetext_is_made (reason)
          && hugetext_way_of (reason) == HUGETEXT_WAY_FILE && block->huge == 0
          && block->small > 0);
}

/* Note whether "hugetext adapt" has switched huge pages off for BLOCK in
   process PID.  "hugetext adapt" switches huge pages off for the first half
   of a block, which thus becomes a separate mapping.  MAPS must be empty
   before the first call, and caches the mappings of the process.  */
static void
look_at_advice (pid_t pid, struct procmaps *maps, struct text_block *block)
{
  if (maps->list == NULL && procmaps_read (pid, maps) < 0)
    return;
  const struct mapping *map = procmaps_find (maps, block->start);
  if (map == NULL || map->end != block->start + procmaps_block () / 2)
    return;
  procmaps_details (pid, maps);
  map = procmaps_find (maps, block->start);
  block->kept_small = map != NULL && map->kept_small;
}

/* Find out, for all blocks of FOUND that were huge pages of files, whether
   huge pages are switched off for the blocks now.  Because reading smaps is
   slow, read smaps only if at least one block that was a huge page of a file
   consists of two mappings, which is rare.  */
static void
look_at_advices (struct inspection *found)
{
  struct procmaps maps = { 0 };
  for (size_t i = 0; found->recorded && i < found->objects.count; ++i)
    {
      const struct object_text *object = &found->objects.list[i];
      const struct hugetext_entry *entry
          = record_find (&found->record, object->bias);
      for (size_t k = 0; entry != NULL && k < object->nblocks; ++k)
        if (was_huge_file (
                record_reason (&found->record, entry, object->blocks[k].start),
                &object->blocks[k]))
          look_at_advice (found->process.pid, &maps, &object->blocks[k]);
    }
  procmaps_free (&maps);
}

/* Return how many bytes of OBJECT's text are on small pages in blocks that,
   according to RECORD, the loader had made huge.  The kernel has since
   reclaimed or split the huge pages of the blocks.  */
static size_t
reclaimed_of (const struct record *record, const struct object_text *object)
{
  const struct hugetext_entry *entry = record_find (record, object->bias);
  size_t bytes = 0;
  for (size_t i = 0; entry != NULL && i < object->nblocks; ++i)
    {
      const struct text_block *block = &object->blocks[i];
      const enum hugetext_reason reason
          = record_reason (record, entry, block->start);
      if (block->huge == 0 && !block->guessed && hugetext_is_made (reason)
          && !record_is_taken_back (reason, block))
        bytes += block->small;
    }
  return bytes;
}

/* Return the sum of reclaimed_of over the objects of FOUND.  */
static size_t
sum_reclaimed (const struct inspection *found)
{
  size_t bytes = 0;
  for (size_t i = 0; found->recorded && i < found->objects.count; ++i)
    bytes += reclaimed_of (&found->record, &found->objects.list[i]);
  return bytes;
}

/* Return how many blocks of OBJECTS, and of code made at run time, are
   huge.  */
static size_t
count_huge (const struct object_list *objects)
{
  size_t huge = 0;
  for (size_t k = 0; k < objects->made.nblocks; ++k)
    huge += objects->made.blocks[k].huge > 0;
  for (size_t i = 0; i < objects->count; ++i)
    for (size_t k = 0; k < objects->list[i].nblocks; ++k)
      huge += objects->list[i].blocks[k].huge > 0;
  return huge;
}

/* If the cap is the reason why BLOCK of OBJECT in FOUND's process has not been
   made huge, count BLOCK in FOUND.  A block that the kernel may map by a huge
   page of the file is on small pages only if the process has accessed it.  */
static void
count_beyond_cap (struct inspection *found, const struct object_text *object,
                  const struct text_block *block)
{
  const enum hugetext_reason reason
      = record_reason_now (&found->record, object, block, found->attached_cap);
  if (block->huge > 0 || !record_is_beyond_cap (reason))
    return;
  ++found->not_made_for_cap;
  found->beyond_cap
      += (block->small > 0 || !record_is_left_open (&found->record, reason));
}

/* Set the members of FOUND that count the blocks beyond the cap.  "hugetext
   attach" may have changed FOUND's process later, with another cap.  If attach
   has reached its cap, the cap of attach is the reason for the small blocks
   that attach could have made huge.  */
static void
judge_cap (struct inspection *found)
{
  const size_t cap = found->record.root.attach_cap;
  if (cap != 0 && count_huge (&found->objects) >= cap)
    found->attached_cap = cap;
  found->beyond_cap = found->not_made_for_cap = 0;
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      const struct object_text *object = &found->objects.list[i];
      for (size_t k = 0; k < object->nblocks; ++k)
        count_beyond_cap (found, object, &object->blocks[k]);
    }
  found->cap_reason
      = (found->beyond_cap == 0    ? HUGETEXT_NONE
         : found->attached_cap > 0 ? HUGETEXT_OVER_CAP
                                   : record_cap_reason (&found->record));
}

/* Collect the remaining facts about FOUND.  Call this function after the
   objects of FOUND's process have been found.  */
static void
collect_rest (struct inspection *found)
{
  const pid_t pid = found->process.pid;
  mark_program (found);
  found->loader
      = collect_find_loader (found, (found->flags & INSPECT_AS_ROOT) != 0);
  found->secure = process_is_secure (pid);
  found->thp_disabled = process_thp_disabled (pid);
  collect_read_record (found);
  if (found->recorded)
    {
      found->index_error = found->record.root.index_error;
      if (found->record.root.image_error <= ANSWER_ERRNO_MAX)
        found->image_error = found->record.root.image_error;
      found->candidates = record_candidates (&found->record);
      judge_cap (found);
    }
  look_at_advices (found);
  found->reclaimed = sum_reclaimed (found);
  read_settings (found);
  found->off = inspect_find_off (found);
  found->small = inspect_find_small (&found->objects);
  read_heats (found);
  if ((found->flags & INSPECT_COST) != 0)
    cost_read (pid, &found->objects, &found->settings, &found->cost);
  if ((found->flags & INSPECT_ELF) != 0)
    {
      struct problem problem;
      if (!program_check_process (pid, &problem))
        snprintf (found->foreign, sizeof found->foreign, "%.*s",
                  (int) sizeof found->foreign - 1, problem.text);
    }
  if ((found->flags & (INSPECT_FILES | INSPECT_ELF)) != 0)
    {
      const size_t count = found->objects.count;
      found->files = allocate (count * sizeof *found->files);
      for (size_t i = 0; i < count; ++i)
        collect_read_file (found, &found->objects.list[i], &found->files[i]);
    }
  compare_root (found);
}

/* Set the problem of FOUND to ERROR, the error number of the failed
   inspection.  */
static void
note_error (struct inspection *found, int error)
{
  struct process now;
  found->error = error;
  found->unread
      = (process_read (found->process.pid, &now) && !now.kernel
         && (now.ended ? now.others : error != ESRCH && error != ENOENT));
  found->left_out = error == EDQUOT;
  if (error == EDQUOT)
    budget_check (&found->problem);
}

/* Collect the facts about process PID that the flags of FOUND ask for.  */
static void
collect_facts (pid_t pid, struct inspection *found)
{
  const bool direct = (found->flags & INSPECT_DIRECT) != 0;
  struct process now;
  /* Read the control group first, because the process may end during the
     inspection.  */
  int error = brief_read_service (pid, found->group) ? 0 : errno;
  if (!process_exe_read (pid, found->exe, sizeof found->exe) && error == 0)
    error = EIO;
  if (!process_read (pid, &found->process))
    problem_set (&found->problem, "there is no such process");
  else if (error != 0)
    note_error (found, error);
  else if (objtext_read (pid, direct, &found->objects) < 0)
    note_error (found, errno);
  /* Check last whether the process has ended during the inspection.  */
  else if (!process_read (pid, &now) || now.ended)
    note_error (found, ESRCH);
  else if (direct)
    {
      found->loading = is_loading (pid, &found->objects);
      if (!found->loading)
        {
          mark_program (found);
          read_heats (found);
        }
    }
  else if (found->objects.count == 0
           && program_check_process (pid, &found->problem))
    problem_set (&found->problem,
                 "the process has no text that is mapped from a file");
  else if (found->objects.count > 0)
    collect_rest (found);
}

void
collect_text (struct message *asked, struct message *answer)
{
  static struct inspection found;
  const pid_t pid = message_get_number (asked, INT_MAX);
  found = (struct inspection){ .flags
                               = message_get_number (asked, INSPECT_ALL) };
  budget_begin ();
  procfile_prepare (pid);
  collect_facts (pid, &found);
  procfile_prepare (0);
  answer_put (answer, &found);
  inspect_free (&found);
  budget_end ();
}

void
collect_maps (struct message *asked, struct message *answer)
{
  struct procmaps maps;
  char exe[PATH_MAX];
  int error = 0;
  const pid_t pid = message_get_number (asked, INT_MAX);
  const bool detailed = message_get_bool (asked);
  const bool known = process_exe_read (pid, exe, sizeof exe);
  message_put_text (answer, exe);
  budget_begin ();
  if (!known || procmaps_read (pid, &maps) < 0)
    {
      error = known ? errno : EIO;
      maps = (struct procmaps){ 0 };
    }
  else if (detailed)
    procmaps_details (pid, &maps);
  answer_put_maps (answer, &maps, error);
  procmaps_free (&maps);
  budget_end ();
}
