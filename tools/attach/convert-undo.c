/* The undoing of a conversion: text is put back as it was.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The undoing restores the blocks in the record and no others: block by block,
   each segment by one mremap of a mapping of the file, so that a thread that
   runs there does not notice.  Holes come first: a hole is the command's as
   long as it is one mapping with the block's copy of the segment beside
   it.  */

#include "attach/convert.h"
#include "attach/remote.h"
#include "tracee/thread.h"
#include "object/textmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A block that is restored.  */
struct block
{
  const struct convert_object *object;
  const struct hugetext_object *elf;
  uintptr_t start, end;
  char *wanted, *buffer; /* The file's contents of the block, and a buffer of
                            the same size.  */
  ssize_t noted;         /* The block's number in the record.  */
};

/* Return why the file's contents must not replace the memory of BLOCK in
   TRACEE's process; NULL if they may.  */
static const char *
compare (const struct tracee *tracee, const struct block *block)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  for (; hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      size_t length = piece.end - piece.start;
      if (piece.segment->write)
        return "it holds writable data, too";
      if (!thread_read (tracee->memory, piece.start, block->buffer, length))
        return "it cannot be read";
      if (memcmp (block->buffer, block->wanted + (piece.start - block->start),
                  length)
          != 0)
        return "it was changed in memory (breakpoints of a debugger?)";
    }
  return NULL;
}

/* Whether MAPS has text in BLOCK as it was: executable segments are
   executable.  */
static bool
is_there (const struct block *block, const struct procmaps *maps)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  bool there = true;
  for (; there && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      const struct mapping *first = procmaps_find (maps, piece.start);
      const struct mapping *last = procmaps_find (maps, piece.end - 1);
      there = (first != NULL && last != NULL && !first->writable
               && !last->writable && first->readable && last->readable
               && (!piece.segment->exec
                   || (first->executable && last->executable)));
    }
  return there;
}

/* Whether [START, END), a hole of BLOCK, is one mapping in MAPS with the
   replacement of the segment beside it.  */
static bool
is_ours (const struct block *block, const struct procmaps *maps,
         uintptr_t start, uintptr_t end)
{
  const struct mapping *map = procmaps_find (maps, start);
  const uintptr_t beside = start > block->start ? start - 1 : end;
  return (map != NULL && map->start <= start && map->end >= end
          && map->start <= beside && map->end > beside && map->executable
          && !map->writable);
}

/* Return the file offset that the loader's mapping had at START, a hole of
   ELF: the loader maps all of the object at once, and then its segments over
   that.  */
static uint64_t
offset_at (const struct hugetext_object *elf, uintptr_t start)
{
  return elf->segment[0].offset
         + (start - elf->bias - hugetext_object_start (elf));
}

/* Restore [START, END), a hole of BLOCK that was HOW, if the mapping there is
   the command's.  */
static bool
clear_hole (struct remote *remote, const struct block *block,
            const struct procmaps *maps, uintptr_t start, uintptr_t end,
            enum changes_hole how)
{
  if (start >= end || !is_ours (block, maps, start, end))
    return true;
  switch (how)
    {
    case HOLE_FREE:
      return remote_call (remote, SYS_munmap, start, end - start, 0, 0, 0, 0)
             == 0;
    case HOLE_FILE:
      if (remote_restore (remote, block->object, start, end, PROT_NONE,
                          offset_at (block->elf, start)))
        return true;
      /* Fall through.  */
    default:
      return remote_call (remote, SYS_mmap, start, end - start, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                              | MAP_FIXED,
                          -1, 0)
             == (long) start;
    }
}

/* Restore all holes of BLOCK.  */
static bool
clear_holes (struct remote *remote, const struct block *block,
             const struct procmaps *maps)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  enum changes_place place = PLACE_BEFORE;
  bool good = true;
  for (; good && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      good = clear_hole (remote, block, maps, at, piece.start,
                         changes_hole (&remote->record, block->noted, place));
      place = PLACE_BETWEEN;
    }
  return good
         && clear_hole (
             remote, block, maps, at, block->end,
             changes_hole (&remote->record, block->noted, PLACE_BEHIND));
}

/* Restore all segments of BLOCK.  */
static bool
restore (struct remote *remote, const struct block *block)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  bool good = true;
  for (; good && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    good = remote_restore (
        remote, block->object, piece.start, piece.end,
        piece.segment->exec ? block->object->prot : PROT_READ, piece.offset);
  return good;
}

/* Restore BLOCK while all threads of its process are stopped.  Return NULL or
   why not.  */
static const char *
put_back_stopped (struct remote *remote, struct block *block)
{
  struct procmaps maps;
  if (!changes_read (&remote->record, remote->pid, remote->tracee->memory))
    return "its memory cannot be read";
  block->noted = changes_find (&remote->record, block->start);
  if (block->noted < 0)
    return NULL;
  if (procmaps_read (remote->pid, &maps) < 0)
    return tracee_gone (errno);
  const char *problem = is_there (block, &maps)
                            ? compare (remote->tracee, block)
                            : "it is not mapped any more";
  if (problem == NULL
      && (!clear_holes (remote, block, &maps) || !restore (remote, block)))
    problem = "its file cannot be mapped there, which may be gone";
  if (problem == NULL)
    remote_forget (remote, block->noted);
  procmaps_free (&maps);
  return problem;
}

/* Restore BLOCK of a process that runs.  Return NULL or why not.  */
static const char *
put_back (struct remote *remote, struct block *block, unsigned int tried)
{
  if (!textmap_read (block->elf, block->object->fd, block->start,
                     block->wanted))
    return "its file cannot be read";
  const char *problem = remote_stop (remote);
  if (problem != NULL)
    return problem;
  const bool freeze
      = (!block->object->program
         || !textmap_is_full (block->elf, block->start, block->end));
  if (freeze)
    problem = remote_freeze (remote, tried);
  if (problem == NULL)
    problem = put_back_stopped (remote, block);
  if (freeze)
    freeze_thaw (&remote->freeze);
  remote_go (remote);
  return problem;
}

/* Restore block I of OBJECT, whose plan is PLAN.  */
static void
undo_block (struct remote *remote, const struct convert_object *object,
            const struct plan *plan, size_t i, char *buffers)
{
  struct convert_block *block = &object->blocks[i];
  struct block work = { .object = object,
                        .elf = &plan->elf.object,
                        .start = plan->blocks[i].start,
                        .end = plan->blocks[i].start + procmaps_block (),
                        .wanted = buffers,
                        .buffer = buffers + procmaps_block () };
  const char *reason = NULL;
  for (unsigned int tried = 0;
       tried == 0
       || (tried < REMOTE_TRIES && freeze_may_be_tried_again (reason));
       tried++)
    reason = put_back (remote, &work, tried);
  block->done = reason == NULL;
  block->wanted = reason != NULL;
  snprintf (block->reason, sizeof block->reason, "%s",
            reason != NULL ? reason : "");
}

const char *
convert_undo (struct conversion *all, struct tracee *tracee)
{
  struct remote remote;
  char *buffers = malloc (2 * procmaps_block ());
  const char *problem
      = buffers == NULL ? "there is no memory"
                        : remote_open_process (&remote, tracee, all->traces);
  if (problem != NULL)
    {
      free (buffers);
      return problem;
    }
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; problem == NULL && k < all->plans[i].nblocks; ++k)
      {
        if (!all->objects[i].blocks[k].wanted)
          continue;
        if (convert_is_late (all))
          {
            problem = "it took too long: not all was put back";
            break;
          }
        undo_block (&remote, &all->objects[i], &all->plans[i], k, buffers);
        problem = remote_problem (&remote);
      }
  all->stops = remote.stops;
  remote_close (&remote);
  free (buffers);
  return problem;
}
