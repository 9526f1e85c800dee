/* The count of samples by object and granule.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The counter follows the executable mappings of a process by the kernel's
   messages when files are mapped.  The kernel sends no message when memory is
   moved, as our loader moves copies of text: so an address stays known as the
   text's own file's, which is what profiles need.  For a process that runs
   already, objtext.h tells where its objects are, whatever is mapped there
   now.  */

#include "profile/profile.h"
#include "host/process.h"
#include "text/objtext.h"
#include "util/budget.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An executable mapping of a process.  */
struct map
{
  uint64_t start, end;
  struct profile_counted *object; /* The object, NULL if there is none.  */
  bool moved;                     /* PLACE is a load bias, not an offset.  */
  bool system;                    /* The mapping is the kernel's.  */
  uint64_t place;                 /* File offset or load bias of START.  */
};

struct process_entry
{
  pid_t pid;
  long threads; /* Number of threads, 0 if not known.  */
  uint64_t samples;
  struct map *maps; /* The mappings by address.  */
  size_t nmaps;
  /* All objects that the process has or had.  */
  struct profile_counted **objects;
  size_t nobjects;
};

struct process_table
{
  void *tree; /* A tree of <search.h>.  */
};

/* A file that has been looked at, and the result.  */
struct known_file
{
  char *name;
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1]; /* The build ID, if the kernel
                                                  says it.  */
  dev_t device;
  ino_t inode;
  struct profile_counted *object;
};

void
profile_counts_begin (struct profile_counts *counts)
{
  *counts = (struct profile_counts){ .nobjects = 0 };
  counts->processes = calloc (1, sizeof *counts->processes);
  counts->failed = counts->processes == NULL;
}

/* Add *ELEMENT, of SIZE bytes, to the *COUNT elements of *LIST, whose room is
   doubled whenever *COUNT is a power of two.  */
static bool
append (void *list, size_t *count, const void *element, size_t size)
{
  char **first = list;
  if ((*count & (*count - 1)) == 0)
    {
      char *larger = reallocarray (*first, *count > 0 ? 2 * *count : 1, size);
      if (larger == NULL)
        return false;
      *first = larger;
    }
  memcpy (*first + (*count)++ * size, element, size);
  return true;
}

/* Return the object of COUNTS with BUILD_ID, NULL if there is none.  */
static struct profile_counted *
find_build (const struct profile_counts *counts, const char *build_id)
{
  for (size_t i = 0; build_id[0] != '\0' && i < counts->nobjects; ++i)
    if (strcmp (counts->objects[i]->object.build_id, build_id) == 0)
      return counts->objects[i];
  return NULL;
}

/* Enter OBJECT, which COUNTS owns then, and return it, or the same build's
   earlier one.  NULL if there is no memory.  */
static struct profile_counted *
enter_object (struct profile_counts *counts, struct profile_object *object)
{
  struct profile_counted *found = find_build (counts, object->build_id);
  if (found != NULL)
    {
      if (found->object.ntext == 0 && object->ntext > 0)
        {
          /* The file can be read now.  */
          profile_object_free (&found->object);
          found->object = *object;
        }
      else
        profile_object_free (object);
      return found;
    }
  found = calloc (1, sizeof *found);
  if (found == NULL
      || !append (&counts->objects, &counts->nobjects, &found, sizeof found))
    {
      free (found);
      profile_object_free (object);
      return NULL;
    }
  found->object = *object;
  found->number = counts->nobjects - 1;
  return found;
}

static bool
is_same_file (const struct known_file *known, const struct profile_file *file)
{
  return (file->build_id != NULL
              ? strcmp (known->build_id, file->build_id) == 0
              : known->build_id[0] == '\0' && known->inode == file->inode
                    && known->device == file->device
                    && strcmp (known->name, file->name) == 0);
}

/* Return the object of FILE, which PID maps at START to END.  NULL if there is
   no memory.  */
static struct profile_counted *
find_object (struct profile_counts *counts, const struct profile_file *file,
             pid_t pid, uint64_t start, uint64_t end)
{
  for (size_t i = counts->nfiles; i-- > 0;)
    if (is_same_file (&counts->files[i], file))
      return counts->files[i].object;
  struct profile_object object;
  profile_object_read (&object, file, pid, counts->root, start, end);
  bool readable = object.ntext > 0;
  if (!readable && file->build_id != NULL)
    snprintf (object.build_id, sizeof object.build_id, "%s", file->build_id);
  struct profile_counted *found = enter_object (counts, &object);
  struct known_file known = { .name = strdup (file->name),
                              .device = file->device,
                              .inode = file->inode,
                              .object = found };
  if (file->build_id != NULL)
    strncpy (known.build_id, file->build_id, sizeof known.build_id - 1);
  if (found == NULL || known.name == NULL
      || !profile_add_name (&found->names, file->name))
    {
      free (known.name);
      return NULL;
    }
  /* Do not note the failure: another process may have the file.  */
  if ((!readable && file->build_id != NULL)
      || !append (&counts->files, &counts->nfiles, &known, sizeof known))
    free (known.name);
  return found;
}

static int
by_pid (const void *a, const void *b)
{
  const struct process_entry *x = a, *y = b;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Return the facts about process PID, NULL if there are none.  */
static struct process_entry *
find_process (const struct profile_counts *counts, pid_t pid)
{
  const struct process_entry key = { .pid = pid };
  void *found = (counts->processes != NULL
                     ? tfind (&key, &counts->processes->tree, by_pid)
                     : NULL);
  return found != NULL ? *(struct process_entry **) found : NULL;
}

/* Count PROCESS's samples for its objects: it has ended, or executes another
   program.  */
static void
finish_process (struct profile_counts *counts, struct process_entry *process)
{
  for (size_t i = 0; i < process->nobjects; ++i)
    process->objects[i]->process_samples += process->samples;
  counts->nprocesses += process->samples > 0;
  free (process->objects);
  free (process->maps);
  process->objects = NULL;
  process->maps = NULL;
  process->nobjects = process->nmaps = process->samples = 0;
}

/* Forget PROCESS.  */
static void
remove_process (struct profile_counts *counts, struct process_entry *process)
{
  finish_process (counts, process);
  tdelete (process, &counts->processes->tree, by_pid);
  free (process);
}

/* Add a new process PID to COUNTS.  Return it, NULL if there is no memory.  */
static struct process_entry *
add_process (struct profile_counts *counts, pid_t pid, long threads)
{
  struct process_entry *process = find_process (counts, pid);
  if (process != NULL)
    finish_process (counts, process);
  else
    {
      process = calloc (1, sizeof *process);
      if (process == NULL || counts->processes == NULL)
        {
          free (process);
          counts->failed = true;
          return NULL;
        }
      process->pid = pid;
      if (tsearch (process, &counts->processes->tree, by_pid) == NULL)
        {
          free (process);
          counts->failed = true;
          return NULL;
        }
    }
  process->threads = threads;
  return process;
}

/* Return the index of PROCESS's first mapping that ends above ADDRESS.  */
static size_t
map_index (const struct process_entry *process, uint64_t address)
{
  size_t low = 0, high = process->nmaps;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (process->maps[middle].end <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Add OBJECT to the objects that PROCESS had.  */
static bool
add_object (struct process_entry *process, struct profile_counted *object)
{
  for (size_t i = 0; i < process->nobjects; ++i)
    if (process->objects[i] == object)
      return true;
  return append (&process->objects, &process->nobjects, &object,
                 sizeof object);
}

/* Add MAP to PROCESS, over its present mappings there.  */
static bool
put_map (struct process_entry *process, const struct map *map)
{
  struct map *maps = calloc (process->nmaps + 2, sizeof *maps);
  size_t count = 0;
  bool done = false;
  if (maps == NULL)
    return false;
  for (size_t i = 0; i < process->nmaps; ++i)
    {
      struct map old = process->maps[i];
      if (old.start < map->start)
        {
          maps[count] = old;
          if (old.end > map->start)
            maps[count].end = map->start;
          ++count;
        }
      if (!done && old.end > map->start)
        {
          maps[count++] = *map;
          done = true;
        }
      if (old.end > map->end)
        {
          if (old.start < map->end)
            {
              if (!old.moved)
                old.place += map->end - old.start;
              old.start = map->end;
            }
          maps[count++] = old;
        }
    }
  if (!done)
    maps[count++] = *map;
  free (process->maps);
  process->maps = maps;
  process->nmaps = count;
  return map->object == NULL || add_object (process, map->object);
}

void
profile_count_fork (struct profile_counts *counts, pid_t pid, pid_t parent)
{
  struct process_entry *old = find_process (counts, parent);
  if (pid == parent)
    {
      if (old != NULL && old->threads > 0)
        ++old->threads;
      return;
    }
  if (counts->witness != NULL)
    counts->witness->fork (counts->witness, pid, parent);
  if (old == NULL)
    return;
  struct process_entry *process = add_process (counts, pid, 1);
  if (process == NULL)
    return;
  /* A forked process has its parent's mappings.  */
  struct map *maps = calloc (old->nmaps + 1, sizeof *maps);
  if (maps == NULL)
    {
      counts->failed = true;
      return;
    }
  memcpy (maps, old->maps, old->nmaps * sizeof *maps);
  process->maps = maps;
  process->nmaps = old->nmaps;
  for (size_t i = 0; i < old->nobjects; ++i)
    if (!add_object (process, old->objects[i]))
      counts->failed = true;
}

void
profile_count_exec (struct profile_counts *counts, pid_t pid, const char *name)
{
  if (counts->witness != NULL)
    counts->witness->exec (counts->witness, pid, name);
  add_process (counts, pid, 1);
}

void
profile_count_exit (struct profile_counts *counts, pid_t pid)
{
  struct process_entry *process = find_process (counts, pid);
  if (process != NULL && process->threads > 0 && --process->threads == 0)
    remove_process (counts, process);
}

/* Whether NAME is the name of a file, and not of memory that has one for the
   kernel only.  */
static bool
is_file (const char *name)
{
  static const char *const memory[]
      = { "//", "/memfd:", "/anon_hugepage", "/dev/zero", "/SYSV" };
  for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i)
    if (strncmp (name, memory[i], strlen (memory[i])) == 0)
      return false;
  return name[0] == '/';
}

void
profile_count_map (struct profile_counts *counts, pid_t pid, uint64_t start,
                   uint64_t size, uint64_t offset,
                   const struct profile_file *file)
{
  struct process_entry *process = find_process (counts, pid);
  struct map map = { .start = start,
                     .end = start + size,
                     .place = offset,
                     .system = (strcmp (file->name, "[vdso]") == 0
                                || strcmp (file->name, "[vsyscall]") == 0) };
  if (size == 0 || map.end < start)
    return;
  if (process == NULL)
    /* The message of its beginning was lost.  */
    process = add_process (counts, pid, 0);
  if (process == NULL)
    return;
  if (is_file (file->name))
    {
      map.object = find_object (counts, file, pid, start, map.end);
      if (map.object == NULL)
        counts->failed = true;
    }
  if (!put_map (process, &map))
    counts->failed = true;
}

/* Add OBJECT, by objtext.h, to PROCESS.  */
static bool
put_object (struct profile_counts *counts, struct process_entry *process,
            const struct object_text *object)
{
  const struct profile_file file = { .name = object->name,
                                     .device = object->device,
                                     .inode = object->inode };
  struct map map = { .start = object->start,
                     .end = object->end,
                     .moved = true,
                     .place = object->bias };
  map.object = find_object (counts, &file, process->pid, map.start, map.end);
  return map.object != NULL && put_map (process, &map);
}

const char *
profile_count_look (struct profile_counts *counts, pid_t pid)
{
  struct object_list objects;
  struct process known = { .pid = pid };
  if (!process_read (pid, &known))
    return "there is no such process";
  budget_begin (known.uid);
  int problem = objtext_read (pid, OBJTEXT_DIRECT, &objects) < 0 ? errno : 0;
  const char *words = problem != 0 ? process_problem (&known, problem) : NULL;
  budget_end ();
  if (problem != 0)
    return words;
  struct process_entry *process = add_process (counts, pid, 0);
  bool good = process != NULL;
  for (size_t i = 0; good && i < objects.count; ++i)
    good = put_object (counts, process, &objects.list[i]);
  objtext_free (&objects);
  counts->failed |= !good;
  return good ? NULL : strerror (ENOMEM);
}

/* Count a sample of OBJECT at its ADDRESS.  */
static bool
count_at (struct profile_counted *object, uint64_t address)
{
  if (object->counts == NULL)
    {
      object->counts
          = calloc (object->object.ngranules, sizeof *object->counts);
      if (object->counts == NULL)
        return false;
    }
  uint64_t i = (address - object->object.low) / PROFILE_GRANULE;
  if (i < object->object.ngranules)
    ++object->counts[i];
  return true;
}

/* Report a sample of PID to the witness.  */
static void
tell_witness (struct profile_counts *counts, pid_t pid,
              enum profile_place place, const struct profile_counted *object,
              uint64_t address)
{
  if (counts->witness != NULL)
    counts->witness->sample (counts->witness, pid, place, object, address);
}

/* Count a sample of PID at ADDRESS, in its mapping MAP.  */
static void
count_in_map (struct profile_counts *counts, pid_t pid, const struct map *map,
              uint64_t address)
{
  struct profile_counted *counted = map->object;
  uint64_t link = address - map->place;
  bool text = false;
  if (counted != NULL && map->moved)
    text = profile_object_has (&counted->object, link);
  else if (counted != NULL)
    text = profile_object_at (&counted->object,
                              address - map->start + map->place, &link);
  if (text)
    {
      ++counted->samples;
      ++counts->text;
      counts->failed |= !count_at (counted, link);
      tell_witness (counts, pid, PROFILE_TEXT, counted, link);
      return;
    }
  if (counted != NULL)
    {
      ++counted->samples;
      ++counts->unread;
    }
  else if (map->system)
    ++counts->system;
  else
    ++counts->made;
  tell_witness (counts, pid,
                counted == NULL && !map->system ? PROFILE_MADE
                                                : PROFILE_ELSEWHERE,
                NULL, address);
}

void
profile_count_sample (struct profile_counts *counts, pid_t pid,
                      uint64_t address)
{
  /* The upper half of addresses is the kernel's.  */
  if ((int64_t) address < 0)
    {
      ++counts->system;
      tell_witness (counts, pid, PROFILE_ELSEWHERE, NULL, address);
      return;
    }
  ++counts->samples;
  struct process_entry *process = find_process (counts, pid);
  if (process == NULL && profile_count_look (counts, pid) == NULL)
    process = find_process (counts, pid);
  if (process == NULL)
    {
      ++counts->unknown;
      tell_witness (counts, pid, PROFILE_ELSEWHERE, NULL, address);
      return;
    }
  ++process->samples;
  size_t i = map_index (process, address);
  if (i < process->nmaps && process->maps[i].start <= address)
    {
      count_in_map (counts, pid, &process->maps[i], address);
      return;
    }
  /* objtext.h leaves code made at run time out.  */
  bool made = process->threads == 0;
  if (made)
    ++counts->made;
  else
    ++counts->unknown;
  tell_witness (counts, pid, made ? PROFILE_MADE : PROFILE_ELSEWHERE, NULL,
                address);
}

/* Finish and forget all processes of COUNTS.  */
static void
finish_processes (struct profile_counts *counts)
{
  while (counts->processes != NULL && counts->processes->tree != NULL)
    remove_process (counts,
                    *(struct process_entry **) counts->processes->tree);
}

void
profile_counts_end (struct profile_counts *counts)
{
  finish_processes (counts);
}

void
profile_counts_free (struct profile_counts *counts)
{
  finish_processes (counts);
  free (counts->processes);
  for (size_t i = 0; i < counts->nobjects; ++i)
    {
      struct profile_counted *object = counts->objects[i];
      profile_object_free (&object->object);
      profile_free (&object->names);
      free (object->counts);
      free (object);
    }
  free (counts->objects);
  for (size_t i = 0; i < counts->nfiles; ++i)
    free (counts->files[i].name);
  free (counts->files);
  *counts = (struct profile_counts){ .nobjects = 0 };
}
