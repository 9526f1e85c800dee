/* The index file, read by the loader's own functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/file.h"
#include "trust/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
read_at (void *closure, void *buffer, size_t length, uint64_t offset)
{
  const int *fd = closure;
  return pread (*fd, buffer, length, offset) == (ssize_t) length;
}

void
index_file_close (struct index_file *file)
{
  if (file->fd >= 0)
    close (file->fd);
  file->fd = -1;
}

const char *
index_file_open (struct index_file *file, int fd, uid_t root)
{
  struct stat status;
  const char *problem;
  file->fd = fd;
  file->index
      = (struct hugetext_index){ .read = read_at, .closure = &file->fd };
  if (fd < 0 || fstat (fd, &status) != 0)
    problem = strerror (errno);
  else if ((problem = identity_problem (&status, root)) == NULL
           && (!hugetext_index_begin (&file->index)
               || file->index.size != (uint64_t) status.st_size))
    problem = "it is damaged, or of another version";
  if (problem != NULL)
    {
      index_file_close (file);
      file->index.header = (struct hugetext_index_header){ .nslots = 0 };
    }
  return problem;
}

const char *
index_file_open_path (struct index_file *file, const char *path, uid_t root)
{
  return index_file_open (
      file, open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), root);
}

/* Add RECORD to the *COUNT sections *LIST.  */
static bool
add_section (struct index_section **list, long *count,
             const struct hugetext_index_program *record)
{
  const char *text = (const char *) (record + 1);
  struct index_section *sections
      = reallocarray (*list, *count + 1, sizeof *sections);
  if (sections == NULL)
    return false;
  *list = sections;
  struct index_section *section = &sections[(*count)++];
  *section = (struct index_section){
    .order = record->head.order,
    .given = record->given,
    .pattern = strdup (text),
    .objects = strdup (text + record->pattern),
    .source = strdup (text + record->pattern + record->objects),
  };
  memcpy (section->value, record->value, sizeof section->value);
  return (section->pattern != NULL && section->objects != NULL
          && section->source != NULL);
}

static int
by_order (const void *a, const void *b)
{
  const struct index_section *x = a, *y = b;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  return strcmp (x->pattern, y->pattern);
}

long
index_file_list (const struct index_file *file, struct index_section **list)
{
  const struct hugetext_index *index = &file->index;
  const struct hugetext_index_header *header = &index->header;
  union hugetext_index_buffer record;
  long count = 0;
  bool good = true;
  *list = NULL;

  for (uint32_t i = 0; good && i < header->nslots; ++i)
    {
      struct hugetext_index_slot slot;
      if (index->read (index->closure, &slot, sizeof slot,
                       header->slots + i * sizeof slot)
          && slot.record != 0
          && hugetext_index_record (index, slot.record, &record)
          && record.head.kind == HUGETEXT_RECORD_PROGRAM)
        good = add_section (list, &count, &record.program);
    }
  uint64_t end = (uint64_t) header->general + header->general_length;
  for (uint64_t offset = header->general;
       good && offset < end && hugetext_index_record (index, offset, &record);
       offset += record.head.length)
    if (record.head.kind == HUGETEXT_RECORD_PROGRAM)
      good = add_section (list, &count, &record.program);
  if (!good)
    {
      index_file_free (*list, count);
      *list = NULL;
      return -1;
    }
  if (count > 0)
    qsort (*list, count, sizeof **list, by_order);
  return count;
}

void
index_file_free (struct index_section *list, long count)
{
  for (long i = 0; i < count; ++i)
    {
      free (list[i].pattern);
      free (list[i].objects);
      free (list[i].source);
    }
  free (list);
}
