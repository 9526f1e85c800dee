/* The loader's record in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/process-record.h"
#include "object/elfhead.h"
#include "object/loader.h"
#include "util/budget.h"
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Read memory of the process whose /proc/PID/mem is *CLOSURE.  */
static bool
get_memory (void *closure, uint64_t address, void *buffer, size_t size)
{
  const int *memory = closure;
  return (budget_spend (size)
          && pread (*memory, buffer, size, address) == (ssize_t) size);
}

/* Read the NOTE of the loader FD.  False if it has none.  */
static bool
read_note (int fd, struct hugetext_record_note *note)
{
  struct elf_head head;
  uint32_t type = HUGETEXT_RECORD_NOTE_TYPE;
  if (elfhead_read (fd, &head) != NULL)
    return false;
  size_t size = elfhead_note (fd, &head, HUGETEXT_RECORD_NOTE, &type, note,
                              sizeof *note);
  elfhead_free (&head);
  return size == sizeof *note;
}

const char *
process_record_unknown (const char *path)
{
  struct hugetext_record_note note;
  int fd = regular_open (path, 0);
  bool good = (fd >= 0 && read_note (fd, &note)
               && note.version == HUGETEXT_RECORD_VERSION);
  if (fd >= 0)
    close (fd);
  return (good ? NULL
               : "ld-hugetext.so is of another build than this command, and"
                 " keeps another record, or none");
}

/* Find the note of the loader among OBJECTS of process PID, and its load bias.
   Return NULL, or why it is not known.  */
static const char *
find_note (pid_t pid, const struct object_list *objects,
           struct hugetext_record_note *note, uintptr_t *bias)
{
  for (size_t i = 0; i < objects->count; ++i)
    {
      const struct object_text *object = &objects->list[i];
      struct loader loader;
      int fd = objtext_open (pid, object);
      if (fd < 0)
        continue;
      bool ours = (loader_is_loader (object->name, fd)
                   && loader_read_fd (fd, &loader) && loader.ours);
      bool known = ours && read_note (fd, note);
      close (fd);
      *bias = object->bias;
      if (ours)
        return known ? NULL
                     : "its ld-hugetext.so is of an older build, which keeps"
                       " no record: restart it";
    }
  return "its ld-hugetext.so cannot be read";
}

const char *
process_record_read (pid_t pid, const struct object_list *objects,
                     struct loader_record *record)
{
  struct hugetext_record_note note;
  uintptr_t bias;
  char path[64];
  *record = (struct loader_record){ 0 };
  const char *problem = find_note (pid, objects, &note, &bias);
  if (problem != NULL)
    return problem;
  snprintf (path, sizeof path, "/proc/%d/mem", (int) pid);
  int memory = open (path, O_RDONLY | O_CLOEXEC);
  if (memory < 0)
    return (errno == EACCES || errno == EPERM
                ? "the record of its ld-hugetext.so may not be read"
                  " (kernel.yama.ptrace_scope; root may)"
                : "the record of its ld-hugetext.so cannot be read");
  const struct record_memory reader = { get_memory, &memory, false };
  problem = loader_record_read (record, &reader, bias, &note);
  close (memory);
  return problem;
}
