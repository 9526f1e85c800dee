/* Count samples by object and by program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions in this file learn the executable mappings of each process
   from the records that the kernel sends when a process maps a file as
   executable.  The kernel sends no record when a process moves memory with
   mremap, so that samples in copies that the loader has moved over text still
   count for the file of the text, as profiles require.  For a process that is
   already running, the functions in objtext.h find the addresses of its
   objects, even if copies are mapped there.

   If a sampled process has already ended when the command looks for the
   process's file, and a user's command is being sampled, the file is looked up
   through the process of the user's command, which is in the same mount
   namespace.  */

#include "sample/sample.h"
#include "host/inspector.h"
#include "host/mapped.h"
#include "object/loader.h"
#include "text/inspect.h"
#include "util/allocate.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The limits on mappings and objects bound the time that the command spends on
   records about processes of other users: the time for each record grows with
   the numbers of mappings and objects.  */
enum
{
  MAPS_MOST = 8192,    /* The maximum number of mappings of a process.  */
  FORKED_MOST = 1024,  /* The maximum number of mappings that a forked child
                          inherits.  */
  OBJECTS_MOST = 4096, /* The maximum number of objects.  */
  LOOKS_MOST = 16,     /* The maximum number of times that the command tries to
                          read the file of an object, through different
                          processes.  */
};

/* Set the range of granules (parts with a weight) in OBJECT's profile to the
   range of its text.  */
static bool
set_granules (struct sampled_object *object, struct problem *problem)
{
  uint64_t low = UINT64_MAX, high = 0;
  for (size_t i = 0; i < object->head.count; ++i)
    {
      const Elf64_Phdr *phdr = &object->head.phdr[i];
      const uint64_t end = phdr->p_vaddr + phdr->p_filesz;
      if (phdr->p_type != PT_LOAD || (phdr->p_flags & PF_X) == 0
          || end <= phdr->p_vaddr)
        continue;
      low = phdr->p_vaddr < low ? phdr->p_vaddr : low;
      high = end > high ? end : high;
    }
  if (high == 0)
    return problem_set (problem, "the object has no text");
  if (high > PROFILE_ADDRESS_MAX)
    return problem_set (problem, "the object's text has no valid address");
  low &= -(uint64_t) PROFILE_GRANULE;
  if ((high - low) / PROFILE_GRANULE >= PROFILE_GRANULES_MAX)
    return problem_set (
        problem, "the text of the object is spread over more than 4 GiB");
  object->profile.first = low;
  object->profile.count = (high - low - 1) / PROFILE_GRANULE + 1;
  return true;
}

/* Return the object of SAMPLING that has the same file as MAP, or NULL.  */
static struct sampled_object *
sample_count_find_object (const struct sampling *sampling,
                          const struct mapping *map)
{
  for (size_t i = 0; i < sampling->nobjects; ++i)
    if (sampling->objects[i]->inode == map->inode
        && sampling->objects[i]->device == map->device)
      return sampling->objects[i];
  return NULL;
}

/* Add the description of the file NAME, which is open on FD, to ANSWER.  */
static void
put_file (struct message *answer, const char *name, int fd)
{
  char build_id[sizeof ((struct profile *) NULL)->build_id];
  struct elf_head head;
  struct problem problem = { 0 };
  const bool known = profile_build_id (fd, build_id, &problem);
  message_put_result (answer, known, &problem);
  message_put_text (answer, known ? build_id : "");
  message_put_number (answer, loader_is_loader (name, fd));
  if (!elfhead_read (fd, &head, &problem))
    {
      message_put_number (answer, 0);
      return;
    }
  message_put_number (answer, head.count);
  message_put_bytes (answer, head.phdr, head.count * sizeof *head.phdr);
  elfhead_free (&head);
}

void
sample_answer (struct message *asked, struct message *answer)
{
  char name[PATH_MAX];
  const pid_t pid = message_get_number (asked, INT_MAX);
  const pid_t child = message_get_number (asked, INT_MAX);
  struct mapping map = { .name = name };
  map.start = message_get_number (asked, UINTPTR_MAX);
  map.end = message_get_number (asked, UINTPTR_MAX);
  map.device = message_get_number (asked, UINT64_MAX);
  map.inode = message_get_number (asked, UINT64_MAX);
  map.deleted = message_get_bool (asked);
  message_get_text (asked, name, sizeof name);
  int fd = mapped_open_file (pid, &map);
  if (fd < 0 && child > 0)
    fd = mapped_open_file (child, &map);
  message_put_number (answer, fd >= 0);
  if (fd < 0)
    return;
  put_file (answer, name, fd);
  close (fd);
}

/* Read the description of OBJECT's file from ANSWER.  */
static void
get_file (struct message *answer, struct sampled_object *object)
{
  struct problem wrong;
  struct profile *profile = &object->profile;
  struct elf_head *head = &object->head;
  if (!message_get_bool (answer))
    return;
  object->problem = (struct problem){ 0 };
  const bool known = message_get_result (answer, &object->problem);
  message_get_printable (answer, profile->build_id, sizeof profile->build_id);
  object->is_loader = message_get_bool (answer);
  const size_t count = message_get_count (answer, sizeof *head->phdr);
  Elf64_Phdr *phdr = allocate (count * sizeof *phdr);
  message_get_bytes (answer, phdr, count * sizeof *phdr);
  *head = (struct elf_head){ .phdr = phdr, .count = count };
  bool good;
  if (!message_is_done (answer)
      || (known && !profile_is_build_id (profile->build_id)))
    good = problem_set (&wrong, "the contents of the file are inconsistent");
  else if (count == 0)
    good = problem_set (&wrong,
                        "the program headers of the file cannot be read");
  else
    good = set_granules (object, &wrong);
  if (good)
    return;
  elfhead_free (head);
  if (known)
    object->problem = wrong;
}

/* Get the description of OBJECT's file, which is mapped as MAP in process PID.
   Look for the file first through /proc/PID, and then through /proc/CHILD,
   where CHILD is the process of the sampled command.  */
static void
sample_count_describe_file (struct sampled_object *object, pid_t pid,
                            pid_t child, const struct mapping *map)
{
  struct problem problem;
  struct message asked = { 0 }, answer;
  message_put_number (&asked, pid);
  message_put_number (&asked, child);
  message_put_number (&asked, map->start);
  message_put_number (&asked, map->end);
  message_put_number (&asked, map->device);
  message_put_number (&asked, map->inode);
  message_put_number (&asked, map->deleted);
  message_put_text (&asked, map->name);
  if (!inspector_ask (INSPECTOR_FILE, pid, child, &asked, &answer, &problem))
    return;
  get_file (&answer, object);
  message_free (&answer);
}

/* Return true, and count the examination, if the command should examine
   OBJECT's file again, now through process PID.  */
static bool
takes_look (struct sampled_object *object, pid_t pid)
{
  if (object->head.phdr != NULL || object->last_pid == pid
      || object->looks == LOOKS_MOST)
    return false;
  object->last_pid = pid;
  ++object->looks;
  return true;
}

/* Return the object that process PID has mapped as MAP, and add the object if
   it is new.  Return NULL if there are too many objects.  */
static struct sampled_object *
sample_count_get_object (struct sampling *sampling, pid_t pid,
                         const struct mapping *map)
{
  struct sampled_object *object = sample_count_find_object (sampling, map);
  if (object == NULL && sampling->nobjects == OBJECTS_MOST)
    return NULL;
  if (object == NULL)
    {
      object = allocate (sizeof *object);
      object->device = map->device;
      object->inode = map->inode;
      object->number = sampling->nobjects;
      problem_set (
          &object->problem,
          "the file cannot be opened, or is no longer the sampled file");
      sampling->objects = allocate_more (sampling->objects, sampling->nobjects,
                                         sizeof *sampling->objects);
      sampling->objects[sampling->nobjects++] = object;
    }
  profile_add_name (&object->profile, map->name);
  /* The file could not be described through another process, so try again
     through this process.  */
  if (takes_look (object, pid))
    sample_count_describe_file (object, pid, sampling->child, map);
  return object;
}

/* Return the text segment of OBJECT that contains ADDRESS, or NULL if there is
   none.  If BY_OFFSET is true, ADDRESS is a file offset: return the text
   segment that contains the page of the file at this offset.  */
static const Elf64_Phdr *
segment (const struct sampled_object *object, uint64_t address, bool by_offset)
{
  const uint64_t page = getpagesize ();
  for (size_t i = 0; i < object->head.count; ++i)
    {
      const Elf64_Phdr *phdr = &object->head.phdr[i];
      uint64_t start = by_offset ? phdr->p_offset & -page : phdr->p_vaddr;
      uint64_t end = (by_offset ? phdr->p_offset : start) + phdr->p_filesz;
      if (phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) != 0
          && address >= start && address < end)
        return phdr;
    }
  return NULL;
}

/* Count a sample of OBJECT at the link-time address ADDRESS, which is in the
   object's text.  */
static void
count_at (struct sampled_object *object, uint64_t address)
{
  struct profile *profile = &object->profile;
  if (profile->weights == NULL)
    profile->weights = allocate (profile->count * sizeof *profile->weights);
  ++profile->weights[(address - profile->first) / PROFILE_GRANULE];
}

/* An executable mapping of a process.  */
struct map
{
  uint64_t start, end;
  struct sampled_object *object; /* The mapped object, or NULL if the mapping
                                    is not of an object.  */
  uint64_t bias;                 /* The object's load bias.  */
};

struct sampled_process
{
  pid_t pid;
  bool unread; /* True if some mappings of the process are missing in the
                  list.  */
  uint64_t samples;
  /* The mappings, with the newest at the end.  Mappings of objects that were
     unmapped stay in the list.  */
  struct map *maps;
  size_t nmaps;
  struct sampled_program *program;
};

/* Return process PID, or NULL if the process is not known.  */
static struct sampled_process *
find_process (struct sampling *sampling, pid_t pid)
{
  struct sampled_process **list = sampling->processes;
  for (size_t i = 0; i < sampling->nprocesses; ++i)
    if (list[i]->pid == pid)
      {
        /* Move the process to the front of the list, so that the search is
           fast for processes with many samples.  */
        struct sampled_process *found = list[i];
        list[i] = list[0];
        return list[0] = found;
      }
  return NULL;
}

/* For each object that PROCESS has mapped, add the number of PROCESS's samples
   to the object's profile.process_samples.  Call this function when PROCESS
   has ended or executes another program.  */
static void
finish_process (struct sampled_process *process)
{
  static size_t finished;
  ++finished;
  for (size_t i = 0; i < process->nmaps; ++i)
    {
      struct sampled_object *object = process->maps[i].object;
      /* Several mappings may map the same object, so add the samples of
         PROCESS only once for each object, at its first mapping.  */
      if (object == NULL || object->finished == finished)
        continue;
      object->finished = finished;
      object->profile.process_samples += process->samples;
    }
  free (process->maps);
  *process = (struct sampled_process){ .pid = process->pid,
                                       .program = process->program };
}

/* Return an entry for the new process PID.  */
static struct sampled_process *
sample_count_add_process (struct sampling *sampling, pid_t pid)
{
  struct sampled_process *process = find_process (sampling, pid);
  if (process != NULL)
    finish_process (process);
  else
    {
      process = allocate (sizeof *process);
      sampling->processes
          = allocate_more (sampling->processes, sampling->nprocesses,
                           sizeof *sampling->processes);
      sampling->processes[sampling->nprocesses++] = process;
    }
  process->pid = pid;
  return process;
}

/* Remove the older half of the COUNT mappings of PROCESS from the list.
   Return the number of the remaining mappings.  */
static size_t
forget_maps (struct sampled_process *process, size_t count)
{
  const size_t left = count / 2;
  memmove (process->maps, process->maps + (count - left),
           left * sizeof *process->maps);
  return left;
}

/* Add MAP to PROCESS.  MAP replaces earlier mappings at the same
   addresses.  */
static void
put_map (struct sampled_process *process, const struct map *map)
{
  size_t count = 0;
  for (size_t i = 0; i < process->nmaps; ++i)
    {
      const struct map *old = &process->maps[i];
      if (old->start < map->start || old->end > map->end
          || (old->object != NULL && old->object != map->object))
        process->maps[count++] = *old;
    }
  if (count == MAPS_MOST)
    count = forget_maps (process, count);
  process->maps = allocate_more (process->maps, count, sizeof *process->maps);
  process->maps[count] = *map;
  process->nmaps = count + 1;
}

void
count_fork (struct sampling *sampling, pid_t pid, pid_t parent)
{
  struct sampled_process *old = find_process (sampling, parent);
  if (old == NULL)
    return;
  struct sampled_process *process = sample_count_add_process (sampling, pid);
  process->program = old->program;
  process->unread = old->unread;
  /* A forked child begins with the mappings of its parent.  */
  process->nmaps = old->nmaps <= FORKED_MOST ? old->nmaps : 0;
  process->unread |= process->nmaps < old->nmaps;
  for (size_t i = 0; i < process->nmaps; ++i)
    {
      process->maps = allocate_more (process->maps, i, sizeof *process->maps);
      process->maps[i] = old->maps[i];
    }
}

void
count_exec (struct sampling *sampling, pid_t pid, const char *name)
{
  struct sampled_process *process = sample_count_add_process (sampling, pid);
  if (sampling->all)
    process->program
        = sampled_program (sampling, pid, true, process->program, name);
  if (process->program != NULL)
    ++process->program->starts;
}

void
count_exit (struct sampling *sampling, pid_t pid)
{
  struct sampled_process *process = find_process (sampling, pid);
  if (process == NULL)
    return;
  finish_process (process);
  free (process);
  /* find_process has moved the process to the front of the list.  */
  sampling->processes[0] = sampling->processes[--sampling->nprocesses];
}

void
count_map (struct sampling *sampling, pid_t pid, const struct mapping *mapping)
{
  struct sampled_process *process = find_process (sampling, pid);
  struct map map = { .start = mapping->start, .end = mapping->end };
  const Elf64_Phdr *phdr = NULL;
  if (process == NULL)
    /* If the process is unknown, the kernel's record of its start was
       lost.  */
    process = sample_count_add_process (sampling, pid);
  if (mapping->inode != 0)
    map.object = sample_count_get_object (sampling, pid, mapping);
  if (map.object != NULL)
    phdr = segment (map.object, mapping->offset, true);
  if (phdr != NULL)
    map.bias
        = map.start - (phdr->p_vaddr + (mapping->offset - phdr->p_offset));
  put_map (process, &map);
}

bool
count_look (struct sampling *sampling, pid_t pid, struct problem *problem)
{
  static struct inspection look;
  struct sampled_process *process = sample_count_add_process (sampling, pid);
  process->unread = true;
  if (!inspect (pid, INSPECT_DIRECT, &look))
    {
      *problem = look.problem;
      return false;
    }
  process->unread = false;
  for (size_t i = 0; i < look.objects.count; ++i)
    {
      const struct object_text *object = &look.objects.list[i];
      const struct mapping mapping = { .start = object->map_start,
                                       .end = object->map_end,
                                       .device = object->device,
                                       .inode = object->inode,
                                       .deleted = object->deleted,
                                       .name = object->name };
      const struct map map
          = { .start = object->start,
              .end = object->end,
              .object = sample_count_get_object (sampling, pid, &mapping),
              .bias = object->bias };
      put_map (process, &map);
    }
  inspect_free (&look);
  return true;
}

/* Count a sample for PROCESS's program.  The sample is at ADDRESS of OBJECT.
   If OBJECT is NULL, the sample is in code made at run time.  */
static void
count_program (const struct sampled_process *process,
               const struct sampled_object *object, uint64_t address)
{
  enum
  {
    PAGE_SHIFT = 12,
    ADDRESS_BITS = 36,
  };
  struct sampled_program *program = process->program;
  if (program == NULL)
    return;
  const uint64_t mask = (UINT64_C (1) << ADDRESS_BITS) - 1;
  const uint64_t owner = object != NULL
                             ? object->number
                             : UINT64_C (1) << 27 | (uint64_t) process->pid;
  const uint64_t page
      = owner << ADDRESS_BITS | ((address >> PAGE_SHIFT) & mask);
  program->in_text += object != NULL;
  program->outside += object == NULL;
  program_execute (program, page);
  if (object != NULL)
    program_heat (program, page, procmaps_block () >> PAGE_SHIFT);
}

/* Count a sample of PROCESS at ADDRESS in user mode.  */
static void
count_user (struct sampling *sampling, struct sampled_process *process,
            uint64_t address)
{
  size_t i = process->nmaps;
  ++sampling->samples;
  ++process->samples;
  /* If several recorded mappings contain the address, use the newest
     mapping.  */
  while (i > 0
         && (address < process->maps[i - 1].start
             || address >= process->maps[i - 1].end))
    --i;
  const struct map *map = i > 0 ? &process->maps[i - 1] : NULL;
  struct sampled_object *object = map != NULL ? map->object : NULL;
  const uint64_t link = map != NULL ? address - map->bias : 0;
  if (object != NULL)
    ++object->profile.samples;
  if (object != NULL && segment (object, link, false) != NULL)
    {
      ++sampling->text;
      count_at (object, link);
      count_program (process, object, link);
      return;
    }
  ++sampling->outside;
  if (!process->unread)
    count_program (process, NULL, address);
}

void
count_sample (struct sampling *sampling, pid_t pid, uint64_t address,
              bool user)
{
  /* Ignore samples of idle processors and of this command.  */
  if (pid <= 0 || pid == getpid () || inspector_is (pid))
    return;
  struct sampled_process *process = find_process (sampling, pid);
  struct problem problem;
  if (process == NULL)
    {
      count_look (sampling, pid, &problem);
      process = find_process (sampling, pid);
    }
  if (sampling->all && process->program == NULL)
    process->program = sampled_program (sampling, pid, true, NULL, NULL);
  if (process->program != NULL)
    ++process->program->samples;
  /* Addresses in the upper half belong to the kernel.  */
  if (user && (int64_t) address >= 0)
    count_user (sampling, process, address);
  else
    ++sampling->kernel;
}

void
count_end (struct sampling *sampling)
{
  for (size_t i = 0; i < sampling->nprocesses; ++i)
    finish_process (sampling->processes[i]);
}
