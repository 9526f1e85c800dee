/* A valid answer of the inspector, for tests of the functions that read
   answers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANSWERS_H
#define ANSWERS_H 1

#include "plan-test.h"
#include "text/answer.h"
#include "util/allocate.h"
#include "util/printable.h"

#define ANSWERS_PID 7

/* Set FOUND to what an inspection of process ANSWERS_PID with FLAGS may
   find.  */
static inline void
answers_make (struct inspection *found, unsigned int flags)
{
  static struct text_block blocks[]
      = { { 0x200000, 0x200000, 0x200000, 0, BACKING_FILE, false, false, false,
            false },
          { 0x400000, 0x1000, 0, 0x1000, 0, true, true, true, true } };
  static struct object_text objects[2];
  const struct object_text both[]
      = { { .name = (char *) "/usr/lib/a b.so",
            .device = 5,
            .inode = 6,
            .map_start = 0x1000,
            .map_end = 0x2000,
            .bias = 0x200000,
            .start = 0x200000,
            .end = 0x401000,
            .sums = { .text = 0x201000,
                      .huge = 0x200000,
                      .small = 0x1000,
                      .backing = BACKING_FILE },
            .blocks = blocks,
            .nblocks = 2 },
          { .name = (char *) "/x", .no_headers = true } };
  static struct hugetext_entry entries[]
      = { { .start = 0x200000, .first = 0, .nruns = 2, .nblocks = 4 },
          { .start = 0x800000, .first = 2, .nruns = 1, .nblocks = 1 } };
  static struct hugetext_record_run runs[] = { { 3, HUGETEXT_COLD },
                                               { 1, HUGETEXT_HUGE },
                                               { 1, HUGETEXT_OVER_CAP } };
  static struct elf_object elf
      = { .object = { .segment = { { .start = 0x1000,
                                     .end = 0x201000,
                                     .fileend = 0x201000,
                                     .datastart = 0x1000,
                                     .dataend = 0x201000,
                                     .read = true,
                                     .exec = true } },
                      .nsegments = 1,
                      .align = 4096 },
          .program = true };
  struct elf_object *const asked = (flags & INSPECT_ELF) != 0 ? &elf : NULL;
  static struct inspected_file files[2];
  files[0] = (struct inspected_file){ .fixed = true, .elf = asked };
  files[1] = (struct inspected_file){ .problem = "the file is the loader",
                                      .alone = REASON_IS_LOADER };
  memcpy (objects, both, sizeof objects);
  *found = (struct inspection){ .flags = flags,
                                .process = { .pid = ANSWERS_PID,
                                             .name = "name",
                                             .uid = 1000,
                                             .start = 7,
                                             .state = 'S' },
                                .exe = "/usr/bin/x",
                                .loader = INSPECTED_OURS,
                                .objects = { .list = objects, .count = 2 },
                                .cost = { 2, 1, 3 },
                                .recorded = true,
                                .files = files,
                                .foreign = "the program is a 32-bit program" };
  found->objects.made.name = (char *) "(made)";
  found->settings.given[SETTING_MODE] = true;
  found->settings.value[SETTING_MODE] = 1;
  found->record = (struct record){ .kept = true,
                                   .block = 0x200000,
                                   .runs = runs,
                                   .nruns = 3,
                                   .entries = entries,
                                   .count = 2 };
}

/* Set MAPS to mappings that a process may have.  */
static inline void
answers_make_maps (struct procmaps *maps)
{
  static struct mapping list[]
      = { { .start = 0x1000,
            .end = 0x3000,
            .offset = 0x1000,
            .device = 5,
            .inode = 6,
            .readable = true,
            .executable = true,
            .name = (char *) "/usr/lib/a b.so",
            .detailed = true,
            .part = 0x1000,
            .kept_small = true },
          { .start = 0x3000, .end = 0x4000, .name = (char *) "" } };
  *maps = (struct procmaps){ .list = list, .count = 2, .detailed = true };
}

/* Check MAPS, which were read from a message of SIZE bytes, and free
   them.  */
static inline void
answers_check_maps (struct procmaps *maps, size_t size)
{
  for (size_t i = 0; i < maps->count; ++i)
    {
      const struct mapping *map = &maps->list[i];
      EXPECT (strlen (map->name) < size && map->start < map->end);
      EXPECT (i == 0 || map->start >= map[-1].end);
      EXPECT (procmaps_find (maps, map->start) == map);
    }
  procmaps_free (maps);
}

/* Check FOUND, which was read from a message, and free it.  */
static inline void
answers_check (struct inspection *found)
{
  EXPECT_EQUAL (ANSWERS_PID, found->process.pid);
  EXPECT (is_printable (found->process.name));
  EXPECT (is_printable (found->exe) && is_printable (found->problem.text));
  EXPECT (found->loader <= INSPECTED_OURS && found->error >= 0);
  for (size_t i = 0; i < found->objects.count; ++i)
    {
      const struct object_text *object = &found->objects.list[i];
      EXPECT (object->sums.huge + object->sums.small <= object->sums.text);
      EXPECT (strlen (object->name) < SIZE_MAX);
      for (size_t k = 0; k < object->nblocks; ++k)
        {
          const struct text_block *block = &object->blocks[k];
          char names[40];
          EXPECT (block->huge + block->small <= block->text);
          EXPECT (block->start % procmaps_block () == 0);
          EXPECT (strlen (backing_names (block->backing, names)) < 40);
        }
      if (found->files != NULL)
        {
          const struct elf_object *elf = found->files[i].elf;
          struct problem problem;
          EXPECT (is_printable (found->files[i].problem));
          /* If a description passes this check, it contains no
             contradictions.  */
          if (elf != NULL && elfobject_check (elf, &problem))
            hugetext_object_digest (&elf->object);
        }
    }
  for (size_t i = 0; found->record.kept && i < found->record.count; ++i)
    {
      const struct hugetext_entry *entry = &found->record.entries[i];
      for (size_t k = 0; k < entry->nblocks; ++k)
        record_reason (&found->record, entry,
                       entry->start + k * found->record.block);
    }
  for (enum setting i = 0; i < SETTINGS; ++i)
    settings_value (&found->settings, i);
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *words = settings_words (&found->settings, key);
      const char *source = settings_source (&found->settings, key);
      EXPECT (words == NULL || is_printable (words));
      EXPECT (source == NULL || is_printable (source));
    }
  inspect_free (found);
}

#endif /* answers.h */
