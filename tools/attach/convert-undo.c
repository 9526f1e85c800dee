/* The undoing of a conversion: text is put back as it was.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The undoing restores the blocks in the record and no others: block by block,
   while all threads are stopped, each segment by one mremap of a mapping of
   the file, so that a process which shares the memory, or a kill of the
   command, meets text at any moment.  Holes come first: a hole is the
   command's as long as it is one mapping with the block's copy of the segment
   beside it.  */

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
  bool small;            /* Huge pages are switched off for it.  */
  ssize_t noted;         /* The block's number in the record,  */
  bool any; /* or it may be none of the record's: without holes, it
               takes the place of what the loader has made.  */
};

/* Return why the file's contents must not replace the memory of BLOCK in
   TRACEE's process; HUGETEXT_NONE if they may.  */
static enum hugetext_reason
compare (const struct tracee *tracee, const struct block *block)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  for (; hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      size_t length = piece.end - piece.start;
      if (piece.segment->write)
        return HUGETEXT_WRITABLE;
      if (!thread_read (tracee->memory, piece.start, block->buffer, length))
        return REASON_MEMORY_UNREADABLE;
      if (memcmp (block->buffer, block->wanted + (piece.start - block->start),
                  length)
          != 0)
        return HUGETEXT_MODIFIED;
    }
  return HUGETEXT_NONE;
}

/* Return why MAP, a mapping with text, is not as attach has left it;
   HUGETEXT_NONE if it is.  EXEC: the text is of an executable segment.  */
static enum hugetext_reason
judge_mapping (const struct mapping *map, bool exec)
{
  if (map->shared || !map->readable || map->writable
      || (exec && !map->executable))
    return REASON_PROTECTED;
  return HUGETEXT_NONE;
}

/* Return why BLOCK must not be replaced, by MAPS: parts of its segments are
   not mapped, or not as attach has left them.
   HUGETEXT_NONE if it may.  */
static enum hugetext_reason
judge_block (const struct block *block, const struct procmaps *maps)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  for (; hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    for (uintptr_t from = piece.start; from < piece.end;)
      {
        const struct mapping *map = procmaps_find (maps, from);
        if (map == NULL)
          return REASON_UNMAPPED;
        enum hugetext_reason problem
            = judge_mapping (map, piece.segment->exec);
        if (problem != HUGETEXT_NONE)
          return problem;
        from = map->end;
      }
  return HUGETEXT_NONE;
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
   the command's.  Return HUGETEXT_NONE or why not.  */
static enum hugetext_reason
clear_hole (struct remote *remote, const struct block *block,
            const struct procmaps *maps, uintptr_t start, uintptr_t end,
            enum changes_hole how)
{
  long result;
  if (start >= end || !is_ours (block, maps, start, end))
    return HUGETEXT_NONE;
  switch (how)
    {
    case HOLE_FREE:
      result
          = remote_call (remote, SYS_munmap, start, end - start, 0, 0, 0, 0);
      return result == 0 ? HUGETEXT_NONE : REASON_HOLE_KEPT;
    case HOLE_FILE:
      if (remote_restore (remote, block->object, start, end, PROT_NONE,
                          offset_at (block->elf, start))
          == HUGETEXT_NONE)
        return HUGETEXT_NONE;
      /* Fall through.  */
    default:
      result = remote_call (
          remote, SYS_mmap, start, end - start, PROT_NONE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
      return result == (long) start ? HUGETEXT_NONE : REASON_HOLE_OPEN;
    }
}

/* Restore all holes of BLOCK.  Return HUGETEXT_NONE or why not.  */
static enum hugetext_reason
clear_holes (struct remote *remote, const struct block *block,
             const struct procmaps *maps)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  enum changes_place place = PLACE_BEFORE;
  enum hugetext_reason problem = HUGETEXT_NONE;
  for (; problem == HUGETEXT_NONE
         && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      problem
          = clear_hole (remote, block, maps, at, piece.start,
                        changes_hole (&remote->record, block->noted, place));
      place = PLACE_BETWEEN;
    }
  return problem != HUGETEXT_NONE
             ? problem
             : clear_hole (
                 remote, block, maps, at, block->end,
                 changes_hole (&remote->record, block->noted, PLACE_BEHIND));
}

/* Restore all segments of BLOCK.  Return HUGETEXT_NONE or why not.  */
static enum hugetext_reason
restore (struct remote *remote, const struct block *block)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  enum hugetext_reason problem = HUGETEXT_NONE;
  for (; problem == HUGETEXT_NONE
         && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      problem = remote_restore (
          remote, block->object, piece.start, piece.end,
          piece.segment->exec ? block->object->prot : PROT_READ, piece.offset);
      /* What the program has said of its text since holds for the file,
         too.  */
      if (problem == HUGETEXT_NONE && block->small)
        remote_call (remote, SYS_madvise, piece.start, piece.end - piece.start,
                     MADV_NOHUGEPAGE, 0, 0, 0);
    }
  return problem;
}

/* Restore BLOCK while all threads of its process are stopped.  Return
   HUGETEXT_NONE or why not.  */
static enum hugetext_reason
put_back_stopped (struct remote *remote, struct block *block)
{
  struct procmaps maps;
  if (!changes_read (&remote->record, remote->tracee->words,
                     remote->tracee->memory))
    return REASON_MEMORY_UNREADABLE;
  block->noted = changes_find (&remote->record, block->start);
  if (block->noted < 0 && !block->any)
    return HUGETEXT_NONE;
  if (procmaps_read_range (remote->pid, block->start, block->end, &maps) < 0)
    return REASON_MAPPINGS_UNKNOWN;
  enum hugetext_reason why = judge_block (block, &maps);
  if (why == HUGETEXT_NONE)
    why = compare (remote->tracee, block);
  if (why == HUGETEXT_NONE && block->noted >= 0)
    why = clear_holes (remote, block, &maps);
  if (why == HUGETEXT_NONE)
    why = restore (remote, block);
  if (why == HUGETEXT_NONE && block->noted >= 0)
    remote_forget (remote, block->noted);
  procmaps_free (&maps);
  return why;
}

/* Restore BLOCK of a process that runs.  Return HUGETEXT_NONE or why not;
   PROBLEM is set if that is why no thread of the process stops.  */
static enum hugetext_reason
put_back (struct remote *remote, struct block *block, unsigned int tried,
          const char **problem)
{
  if (!textmap_read (block->elf, block->object->fd, block->start,
                     block->wanted))
    return REASON_FILE_UNREADABLE;
  *problem = remote_stop (remote);
  if (*problem != NULL)
    return REASON_NOT_STOPPED;
  enum hugetext_reason why = remote_freeze (remote, tried);
  if (why == HUGETEXT_NONE)
    why = put_back_stopped (remote, block);
  freeze_thaw (&remote->freeze);
  remote_go (remote);
  return why;
}

/* Restore block I of OBJECT, whose plan is PLAN.  Return NULL, or why no
   thread of the process stops.  */
static const char *
undo_block (struct remote *remote, const struct convert_object *object,
            const struct plan *plan, size_t i, char *buffers)
{
  struct convert_block *block = &object->blocks[i];
  struct block work = { .object = object,
                        .elf = &plan->elf.object,
                        .start = plan->blocks[i].start,
                        .end = plan->blocks[i].start + procmaps_block (),
                        .wanted = buffers,
                        .small = block->small,
                        .any = block->back,
                        .buffer = buffers + procmaps_block () };
  const char *problem = NULL;
  enum hugetext_reason why = block->refusal;
  for (unsigned int tried = 0;
       (tried == 0 && why == HUGETEXT_NONE)
       || (tried < REMOTE_TRIES && freeze_may_be_tried_again (why));
       tried++)
    why = put_back (remote, &work, tried, &problem);
  block->done = why == HUGETEXT_NONE;
  /* What makes room is not to be added again.  */
  block->wanted = why != HUGETEXT_NONE && !block->back;
  block->reason = why;
  return problem;
}

const char *
convert_undo (struct conversion *all, struct tracee *tracee)
{
  struct remote remote;
  const char *busy = NULL;
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
        const struct convert_block *block = &all->objects[i].blocks[k];
        /* By heat, those that are wanted are to be added later.  */
        if (!(all->heats != NULL ? block->back : block->wanted))
          continue;
        if (convert_is_late (all))
          {
            problem = "the time limit was reached: some blocks were not put "
                      "back on small pages";
            break;
          }
        const char *why = undo_block (&remote, &all->objects[i],
                                      &all->plans[i], k, buffers);
        /* Of the other blocks some may have better luck.  */
        busy = why != NULL ? why : busy;
        problem = remote_problem (&remote);
      }
  all->stops = remote.stops;
  remote_close (&remote);
  free (buffers);
  return problem != NULL ? problem : busy;
}
