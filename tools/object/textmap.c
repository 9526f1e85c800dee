/* Find out whether the mapped text of an object is still identical with the
   text in the object's file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   To find changed text, the command compares no bytes, but looks for private
   pages, because a page of text becomes a private copy when a debugger, the
   kernel, a relocation or the program itself writes to the page
   (doc/experiments/observers).  */

#include "object/textmap.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Bits of an entry in /proc/PID/pagemap
   (Documentation/admin-guide/mm/pagemap.rst in the source of Linux).  */
#define PAGEMAP_PRESENT (UINT64_C (1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C (1) << 62)
#define PAGEMAP_FILE                                                        \
  (UINT64_C (1) << 61) /* The page belongs to a file or to shared \ memory. \
                        */

/* Return HUGETEXT_NONE if all of PIECE is mapped from the file of TEXT as the
   loader maps it.  If a part of PIECE is mapped from another file, or not as
   the loader maps it, return the reason why PIECE must not be replaced.  */
static enum hugetext_reason
judge_piece (const struct textmap *text, const struct procmaps *maps,
             const struct hugetext_piece *piece)
{
  uintptr_t at = piece->start;
  for (size_t i = procmaps_index (maps, at); at < piece->end; ++i)
    {
      if (i == maps->count || maps->list[i].start > at)
        return REASON_UNMAPPED;
      const struct mapping *map = &maps->list[i];
      if (map->inode != text->inode || map->device != text->device
          || map->offset + (at - map->start)
                 != piece->offset + (at - piece->start))
        return REASON_OTHER_FILE;
      if (map->shared || map->writable || !map->readable
          || (piece->segment->exec && !map->executable))
        return REASON_PROTECTED;
      at = map->end;
    }
  return HUGETEXT_NONE;
}

/* Return true if [START, END) is between the first and the last segment of
   OBJECT, so that anonymous mappings with PROT_NONE in [START, END) belong to
   OBJECT.  */
static bool
textmap_is_in_object (const struct hugetext_object *object, uintptr_t start,
                      uintptr_t end)
{
  const uintptr_t first = hugetext_object_start (object) + object->bias;
  const uintptr_t last = first + hugetext_object_length (object);
  return start >= first && end <= last;
}

/* Return true if [START, END) is a hole in TEXT's block, that is, if each part
   of the range is either not mapped, or mapped with PROT_NONE.  A mapping
   with PROT_NONE must be a mapping of TEXT's file.  The mapping may also be
   anonymous if textmap_is_in_object is true, or if the loader has reserved the
   whole range.  If a part of the range is not mapped, set *GAP to true.  */
static bool
textmap_is_hole (const struct textmap *text, const struct procmaps *maps,
                 uintptr_t start, uintptr_t end, bool *gap)
{
  const bool inside = textmap_is_in_object (text->object, start, end);
  uintptr_t at = start;
  bool slack = false, missing = false;
  for (size_t i = procmaps_index (maps, start);
       at < end && i < maps->count && maps->list[i].start < end; ++i)
    {
      const struct mapping *map = &maps->list[i];
      if (map->readable || map->writable || map->executable
          || !((map->inode == text->inode && map->device == text->device)
               || (map->inode == 0 && (inside || text->reserved))))
        return false;
      slack |= map->inode == 0 && !inside;
      missing |= map->start > at;
      at = map->end > at ? map->end : at;
    }
  missing |= at < end;
  *gap |= missing;
  /* If a part of the range that the loader has reserved is no longer mapped,
     the mappings in the rest of the range may have been made by other
     code.  */
  return !(slack && missing);
}

bool
textmap_is_full (const struct hugetext_object *object, uintptr_t start,
                 uintptr_t end)
{
  struct hugetext_piece piece;
  while (hugetext_next_piece (object, start, end, &piece)
         && piece.start == start)
    start = piece.end;
  return start == end;
}

/* Find out whether [START, END) may be replaced.  The range is in a hole
   between two segments of TEXT's object, or outside of the object.  Return
   HUGETEXT_NONE if no other code has mapped memory in the range
   (textmap_is_hole), otherwise the reason why the block must not be replaced.
 */
static enum hugetext_reason
judge_hole (const struct textmap *text, const struct procmaps *maps,
            uintptr_t start, uintptr_t end, bool *gap)
{
  return (textmap_is_hole (text, maps, start, end, gap) ? HUGETEXT_NONE
          : textmap_is_in_object (text->object, start, end)
              ? HUGETEXT_HOLE_TAKEN
              : HUGETEXT_OUTSIDE);
}

enum hugetext_reason
textmap_obstacle (const struct textmap *text, const struct procmaps *maps,
                  uintptr_t start, bool *gap)
{
  uintptr_t at = start, end = start + procmaps_block ();
  struct hugetext_piece piece;
  *gap = false;
  for (; hugetext_next_piece (text->object, at, end, &piece); at = piece.end)
    {
      enum hugetext_reason why = judge_hole (text, maps, at, piece.start, gap);
      if (why == HUGETEXT_NONE)
        why = piece.segment->write ? HUGETEXT_WRITABLE
                                   : judge_piece (text, maps, &piece);
      if (why != HUGETEXT_NONE)
        return why;
    }
  return judge_hole (text, maps, at, end, gap);
}

enum hugetext_reason
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
        return REASON_PAGES_UNKNOWN;
      n = got / sizeof *entries;
      for (size_t i = 0; i < n; ++i)
        if ((entries[i] & PAGEMAP_SWAPPED) != 0
            || ((entries[i] & PAGEMAP_PRESENT) != 0
                && (entries[i] & PAGEMAP_FILE) == 0))
          return HUGETEXT_MODIFIED;
      start += n * page;
    }
  return HUGETEXT_NONE;
}

bool
textmap_read (const struct hugetext_object *object, int fd, uintptr_t start,
              char *buffer)
{
  uintptr_t from = start, end = start + procmaps_block ();
  struct hugetext_piece piece;
  memset (buffer, 0, end - start);
  for (; hugetext_next_piece (object, from, end, &piece); from = piece.end)
    for (from = piece.start; from < piece.end;)
      {
        ssize_t n = pread (fd, buffer + (from - start), piece.end - from,
                           piece.offset + (from - piece.start));
        if (n < 0 && errno != EINTR)
          return false;
        /* Reading 0 bytes at the end of the file is no error, because the last
           mapped page may reach beyond the end.  */
        if (n == 0)
          break;
        if (n > 0)
          from += n;
      }
  return true;
}
