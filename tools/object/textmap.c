/* Mapped text: whether it is still what its file says.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Pages that were written, by a debugger's breakpoints, the kernel's
   (uprobes), relocation or the program itself, are the process's own and no
   longer of a file.  So the command need not compare bytes to know whether
   text is as in the file (doc/experiments/observers).  */

#include "object/textmap.h"

#include <errno.h>
#include <unistd.h>

/* Bits of an entry in /proc/PID/pagemap (Linux,
   Documentation/admin-guide/mm/pagemap.rst).  */
#define PAGEMAP_PRESENT (UINT64_C (1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C (1) << 62)
#define PAGEMAP_FILE                                         \
  (UINT64_C (1) << 61) /* The page is of a file or of shared \
                          memory.  */

/* Whether all of PIECE is mapped from the file of TEXT.  */
static bool
is_mapped (const struct textmap *text, const struct procmaps *maps,
           const struct hugetext_piece *piece)
{
  uintptr_t at = piece->start;
  for (size_t i = procmaps_index (maps, at); at < piece->end; ++i)
    {
      if (i == maps->count || maps->list[i].start > at)
        return false;
      const struct mapping *map = &maps->list[i];
      if (map->inode != text->inode || map->device != text->device
          || map->shared || map->writable || !map->readable
          || (piece->segment->exec && !map->executable)
          || map->offset + (at - map->start)
                 != piece->offset + (at - piece->start))
        return false;
      at = map->end;
    }
  return true;
}

/* Add [START, END) to HOLES, if it is not empty.  False if there are too
   many.  */
static bool
add_hole (struct textmap_holes *holes, uintptr_t start, uintptr_t end)
{
  if (start >= end)
    return true;
  if (holes->count == sizeof holes->list / sizeof holes->list[0])
    return false;
  holes->list[holes->count].start = start;
  holes->list[holes->count++].end = end;
  return true;
}

/* Whether [START, END) is free for TEXT: not mapped, or its own and without
   access.  */
static bool
is_free (const struct textmap *text, const struct procmaps *maps,
         uintptr_t start, uintptr_t end, struct textmap_holes *holes)
{
  const struct hugetext_object *object = text->object;
  uintptr_t first = hugetext_object_start (object) + object->bias;
  uintptr_t last = first + hugetext_object_length (object);
  uintptr_t at = start;
  for (size_t i = procmaps_index (maps, start);
       i < maps->count && maps->list[i].start < end; ++i)
    {
      const struct mapping *map = &maps->list[i];
      bool inside = start >= first && end <= last;
      if (map->readable || map->writable || map->executable
          || !((map->inode == text->inode && map->device == text->device)
               || (map->inode == 0 && inside))
          || !add_hole (holes, at, map->start))
        return false;
      at = map->end > at ? map->end : at;
    }
  return add_hole (holes, at, end);
}

const char *
textmap_obstacle (const struct textmap *text, const struct procmaps *maps,
                  uintptr_t start, struct textmap_holes *holes)
{
  uintptr_t at = start, end = start + procmaps_block ();
  struct hugetext_piece piece;
  holes->count = 0;
  for (; hugetext_next_piece (text->object, at, end, &piece); at = piece.end)
    {
      if (at < piece.start && !is_free (text, maps, at, piece.start, holes))
        return "something else is mapped in it";
      if (piece.segment->write || !is_mapped (text, maps, &piece))
        return "what is mapped there is not the file as it was loaded";
    }
  return at < end && !is_free (text, maps, at, end, holes)
             ? "something else is mapped in it"
             : NULL;
}

const char *
textmap_private (int pagemap, uintptr_t start, uintptr_t end)
{
  const uintptr_t page = getpagesize ();
  uint64_t entries[512];
  while (start < end)
    {
      size_t n = (end - start) / page;
      if (n > sizeof entries / sizeof *entries)
        n = sizeof entries / sizeof *entries;
      ssize_t got = pread (pagemap, entries, n * sizeof *entries,
                           start / page * sizeof *entries);
      if (got < (ssize_t) sizeof *entries)
        return "its pages cannot be looked at";
      n = got / sizeof *entries;
      for (size_t i = 0; i < n; ++i)
        if ((entries[i] & PAGEMAP_SWAPPED) != 0
            || ((entries[i] & PAGEMAP_PRESENT) != 0
                && (entries[i] & PAGEMAP_FILE) == 0))
          return "it was changed in memory: breakpoints (a debugger's, or"
                 " uprobes), or text that was written to";
      start += n * page;
    }
  return NULL;
}

bool
textmap_read (const struct hugetext_object *object, int fd, uintptr_t start,
              char *buffer)
{
  uintptr_t from = start, end = start + procmaps_block ();
  struct hugetext_piece piece;
  for (; hugetext_next_piece (object, from, end, &piece); from = piece.end)
    {
      for (; from < piece.start; ++from)
        buffer[from - start] = 0;
      while (from < piece.end)
        {
          ssize_t n = pread (fd, buffer + (from - start), piece.end - from,
                             piece.offset + (from - piece.start));
          if (n < 0 && errno != EINTR)
            return false;
          if (n == 0)
            /* The last page of the piece may reach beyond the end of the
               file.  */
            for (; from < piece.end; ++from)
              buffer[from - start] = 0;
          if (n > 0)
            from += n;
        }
    }
  for (; from < end; ++from)
    buffer[from - start] = 0;
  return true;
}
