/* Search an object's file for two signs that copies of its text would disturb
   programs.  The first sign is that the object looks for its own path in
   /proc/self/maps.  The second sign is a function by which tools recognize the
   object's mapping in /proc/PID/maps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/maps-reader.h"
#include "dl-hugetext-maps-reader.h"

#include "util/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* PIECE is the size of one read, and LIMIT the maximum size of an object that
   is searched, both in bytes.  */
#define PIECE ((size_t) 32 << 10)
#define LIMIT ((uint64_t) 8 << 30)

/* The function for the member READ of struct hugetext_maps_search.  CLOSURE
   points to the descriptor of a file.  */
static long int
object_maps_reader_read_file (void *closure, char *buffer, size_t length,
                              uint64_t offset)
{
  const int *fd = closure;
  ssize_t n;
  if (!budget_spend (0))
    return -1;
  do
    n = pread (*fd, buffer, length, offset);
  while (n < 0 && errno == EINTR);
  return n;
}

bool
maps_reader_check (int fd, const char *path,
                   const struct hugetext_object *object,
                   struct problem *problem)
{
  char buffer[HUGETEXT_MAPS_BEFORE + PIECE + HUGETEXT_MAPS_BEHIND];
  const struct hugetext_maps_search search
      = { .read = object_maps_reader_read_file,
          .closure = &fd,
          .buffer = buffer,
          .size = sizeof buffer,
          .limit = LIMIT,
          .image = true };
  if (hugetext_maps_reviewed (path) != NULL)
    return true;
  switch (hugetext_maps_search (object, &search))
    {
    case HUGETEXT_MAPS_READER:
      return problem_set (
          problem,
          "the file's code may look for the file's path in /proc/self/maps, "
          "which shows another path if the text is in an image");
    case HUGETEXT_MAPS_TOO_LARGE:
      return problem_set (
          problem, "the file is too large to be searched for the string "
                   "/proc/self/maps");
    case HUGETEXT_MAPS_UNREADABLE:
      return problem_set (
          problem,
          "the file cannot be searched for the string /proc/self/maps");
    default:
      return true;
    }
}

/* A file in which symbols are looked up.  */
struct symbols_file
{
  int fd;
  struct elf_head head;
  char bytes[64];
};

/* The function for the member BYTES of struct hugetext_symbols.  Return the
   SIZE bytes at the link-time address ADDRESS of the file CLOSURE, or
   NULL.  */
static const void *
object_maps_reader_get_bytes (void *closure, uintptr_t address, size_t size)
{
  struct symbols_file *file = closure;
  return (
      budget_spend (0) && size <= sizeof file->bytes
              && elfhead_at (file->fd, &file->head, address, file->bytes, size)
          ? file->bytes
          : NULL);
}

/* Return the result of hugetext_looked_up for the file FD.  */
static uint64_t
object_maps_reader_find_looked_up (int fd)
{
  struct problem problem;
  struct symbols_file file = { .fd = fd };
  struct elf_dynamic dynamic;
  if (!elfhead_read (fd, &file.head, &problem))
    return 0;
  elfhead_dynamic (fd, &file.head, &dynamic);
  const struct hugetext_symbols symbols
      = { .bytes = object_maps_reader_get_bytes,
          .closure = &file,
          .hash = elfhead_value (&dynamic, DT_GNU_HASH),
          .symbols = elfhead_value (&dynamic, DT_SYMTAB),
          .strings = elfhead_value (&dynamic, DT_STRTAB) };
  const uint64_t found = symbols.hash != 0 ? hugetext_looked_up (&symbols) : 0;
  free (dynamic.list);
  elfhead_free (&file.head);
  return found;
}

void
maps_reader_describe (int fd, const char *path, struct elf_object *elf)
{
  char buffer[HUGETEXT_MAPS_BEFORE + PIECE + HUGETEXT_MAPS_BEHIND];
  const struct hugetext_maps_search search
      = { .read = object_maps_reader_read_file,
          .closure = &fd,
          .buffer = buffer,
          .size = sizeof buffer };
  /* Ignore static programs: a static program does not read /proc/self/maps to
     find its own files, because it has no dladdr, but every static program
     that prints something contains the string "/proc/self/maps" from libc.  */
  elf->needs_path = (!elf->statically_linked
                     && hugetext_needs_path (&elf->object, path, &search));
  elf->looked_up = object_maps_reader_find_looked_up (fd);
}
