/* Restore the text that "hugetext attach" has replaced.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   Only blocks in the record are restored, one by one, while all threads are
   stopped.  For each segment, a single mremap moves a mapping of the file over
   the huge text, so that the text is never unmapped.  An unmapped text would
   crash another process that shares the memory and, if the command is killed
   at this moment, the process itself.  The command restores a hole only if the
   command itself has mapped the hole, that is, if a single mapping contains
   both the hole and the replaced text of the adjacent segment.  Restoring a
   segment splits the mapping that the segment shares with a hole, so the
   command restores holes before segments.  */

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

/* A block to restore.  */
struct block
{
  const struct convert_object *object;
  const struct hugetext_object *elf;
  uintptr_t start, end;
  char *wanted, *buffer; /* WANTED contains the bytes of the file that the
                            block should contain.  BUFFER, of the same size,
                            receives the bytes of the process's memory for the
                            comparison with WANTED.  */
  bool small;            /* True if huge pages must be switched off for the
                            block.  */
  bool pool;             /* True if the block is on a page of the hugetlb
                            pool.  */
  bool locked;           /* True if the block's text is locked in memory.  */
  ssize_t noted;         /* The block's index in the record, or negative if the
                            record does not contain the block.  */
  bool any; /* True if the block can be moved back without an entry in the
               record, because the loader has made the block (a copy or an
               image) and has reserved its holes.  */
  bool own; /* True if the block is on a huge page of the object's file.  */
  const struct procmaps *maps; /* The mappings of the block while the threads
                                  are stopped.  */
};

/* A function that checks or restores PIECE, the part of a segment that is in
   BLOCK.  Return HUGETEXT_NONE, or the reason why the block cannot be
   restored.  */
typedef enum hugetext_reason piece_step (struct remote *remote,
                                         const struct block *block,
                                         const struct hugetext_piece *piece);

/* Call STEP for the segments of BLOCK, one after the other, until STEP fails
   for one of them.  */
static enum hugetext_reason
for_segments (struct remote *remote, const struct block *block,
              piece_step *step)
{
  enum hugetext_reason why = HUGETEXT_NONE;
  struct hugetext_piece piece;
  for (uintptr_t at = block->start;
       why == HUGETEXT_NONE
       && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    why = step (remote, block, &piece);
  return why;
}

/* Compare the bytes of PIECE in the memory of the process with the file.
   Return a reason if the bytes of PIECE differ from the file, or if the
   segment is writable.  */
static enum hugetext_reason
compare (struct remote *remote, const struct block *block,
         const struct hugetext_piece *piece)
{
  const size_t length = piece->end - piece->start;
  if (piece->segment->write)
    return HUGETEXT_WRITABLE;
  if (!thread_read (remote->tracee->memory, piece->start, block->buffer,
                    length))
    return REASON_MEMORY_UNREADABLE;
  return memcmp (block->buffer, block->wanted + (piece->start - block->start),
                 length)
                 == 0
             ? HUGETEXT_NONE
             : HUGETEXT_MODIFIED;
}

/* Return HUGETEXT_NONE if attach can have created MAP, a mapping with text.
   Otherwise return the reason why the block cannot be restored.  EXEC is true
   if the text is in an executable segment.  */
static enum hugetext_reason
judge_mapping (const struct mapping *map, bool exec)
{
  if (map->shared || !map->readable || map->writable
      || (exec && !map->executable))
    return REASON_PROTECTED;
  return HUGETEXT_NONE;
}

/* Fail if a part of PIECE is not mapped, or is in a mapping that attach cannot
   have made.  */
static enum hugetext_reason
judge (struct remote *remote __attribute__ ((unused)),
       const struct block *block, const struct hugetext_piece *piece)
{
  enum hugetext_reason why = HUGETEXT_NONE;
  for (uintptr_t from = piece->start;
       why == HUGETEXT_NONE && from < piece->end;)
    {
      const struct mapping *map = procmaps_find (block->maps, from);
      if (map == NULL)
        return REASON_UNMAPPED;
      why = judge_mapping (map, piece->segment->exec);
      from = map->end;
    }
  return why;
}

/* Return true if attach has mapped the hole [START, END) of BLOCK, that is, if
   the mapping of the hole also contains the replaced text of the adjacent
   segment.  */
static bool
is_ours (const struct block *block, uintptr_t start, uintptr_t end)
{
  const struct mapping *map = procmaps_find (block->maps, start);
  const uintptr_t beside = start > block->start ? start - 1 : end;
  return (map != NULL && map->start <= start && map->end >= end
          && map->start <= beside && map->end > beside && map->executable
          && !map->writable);
}

/* START is an address in a hole of the object that ELF describes.  Return the
   offset in the object's file that the loader mapped at START.  (The loader
   first maps the whole object as one range, and then its segments over this
   mapping.  In a hole, the first mapping remains.)  */
static uint64_t
offset_at (const struct hugetext_object *elf, uintptr_t start)
{
  return elf->segment[0].offset
         + (start - elf->bias - hugetext_object_start (elf));
}

/* If the mapping in the hole [START, END) of BLOCK was made by the command,
   restore the hole to its former state HOW.  Return HUGETEXT_NONE, or the
   reason why the hole is not restored.  */
static enum hugetext_reason
clear_hole (struct remote *remote, const struct block *block, uintptr_t start,
            uintptr_t end, enum changes_hole how)
{
  long result;
  if (start >= end || !is_ours (block, start, end))
    return HUGETEXT_NONE;
  switch (how)
    {
    case HOLE_FREE:
      result
          = remote_call (remote, SYS_munmap, start, end - start, 0, 0, 0, 0);
      return result == 0 ? HUGETEXT_NONE : REASON_HOLE_KEPT;
    case HOLE_FILE:
      if (remote_restore (remote, block->object, start, end, PROT_NONE,
                          offset_at (block->elf, start), block->locked)
          == HUGETEXT_NONE)
        return HUGETEXT_NONE;
      /* Fall through.  */
    default:
      result = remote_call (
          remote, SYS_mmap, start, end - start, PROT_NONE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
      if (result != (long) start)
        return REASON_HOLE_OPEN;
      if (!block->locked)
        remote_unlock (remote, start, end - start);
      return HUGETEXT_NONE;
    }
}

/* BLOCK has a hole at PLACE: before, between or after its segments.  Return
   the state of this hole before attach replaced the block.  */
static enum changes_hole
convert_undo_find_hole (const struct remote *remote, const struct block *block,
                        enum changes_place place)
{
  return (block->noted < 0
              ? HOLE_RESERVED
              : changes_hole (&remote->record, block->noted, place));
}

/* Restore all holes of BLOCK.  Return HUGETEXT_NONE, or the reason why a hole
   cannot be restored.  */
static enum hugetext_reason
clear_holes (struct remote *remote, const struct block *block)
{
  uintptr_t at = block->start;
  struct hugetext_piece piece;
  enum changes_place place = PLACE_BEFORE;
  enum hugetext_reason problem = HUGETEXT_NONE;
  for (; problem == HUGETEXT_NONE
         && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    {
      problem = clear_hole (remote, block, at, piece.start,
                            convert_undo_find_hole (remote, block, place));
      place = PLACE_BETWEEN;
    }
  return problem != HUGETEXT_NONE
             ? problem
             : clear_hole (
                 remote, block, at, block->end,
                 convert_undo_find_hole (remote, block, PLACE_BEHIND));
}

/* Return the protection of the segment of PIECE.  */
static int
protection (const struct block *block, const struct hugetext_piece *piece)
{
  return piece->segment->exec ? block->object->prot : PROT_READ;
}

/* Find out, without changing the block, whether the file can be mapped at the
   addresses of PIECE.  Call this function for all segments of the block before
   the first segment is restored, because restoring the first segment splits
   the block's huge page.  If PIECE fills the whole block, return HUGETEXT_NONE
   without a test, because a single mremap restores the block.  */
static enum hugetext_reason
convert_undo_try_mapping (struct remote *remote, const struct block *block,
                          const struct hugetext_piece *piece)
{
  return piece->end - piece->start == block->end - block->start
             ? HUGETEXT_NONE
             : remote_rehearse (remote, block->object, piece->start,
                                piece->end, protection (block, piece),
                                piece->offset, block->locked);
}

/* Map the file for PIECE.  */
static enum hugetext_reason
restore (struct remote *remote, const struct block *block,
         const struct hugetext_piece *piece)
{
  const enum hugetext_reason why = remote_restore (
      remote, block->object, piece->start, piece->end,
      protection (block, piece), piece->offset, block->locked);
  /* If the program itself has switched huge pages off for the text, after
     attach had made it huge, switch huge pages off for the file's mapping as
     well.  */
  if (why == HUGETEXT_NONE && block->small
      && (block->noted < 0
          || !changes_is_split (&remote->record, block->noted)))
    remote_call (remote, SYS_madvise, piece->start, piece->end - piece->start,
                 MADV_NOHUGEPAGE, 0, 0, 0);
  return why;
}

/* Switch huge pages off for the first half of BLOCK.  Return HUGETEXT_NONE, or
   the reason why huge pages cannot be switched off.  */
static enum hugetext_reason
keep_small (struct remote *remote, const struct block *block)
{
  const long result = remote_call (remote, SYS_madvise, block->start,
                                   (block->end - block->start) / 2,
                                   MADV_NOHUGEPAGE, 0, 0, 0);
  return result == 0 ? HUGETEXT_NONE
                     : remote_why (remote, SYS_madvise, MADV_NOHUGEPAGE,
                                   REASON_NOT_MOVED);
}

/* Move BLOCK from a huge page of its file to small pages, without moving text.
   Give the two halves of BLOCK different advice, so that the kernel divides
   the mapping into two.  The kernel maps no huge page across the border of two
   mappings.  Return HUGETEXT_NONE, or the reason why BLOCK stays on its huge
   page.  */
static enum hugetext_reason
split (struct remote *remote, const struct block *block)
{
  const struct object_text *text = block->object->text;
  const struct mapping *map = procmaps_find (block->maps, block->start);
  if (map == NULL || map->end < block->end || map->device != text->device
      || map->inode != text->inode)
    return REASON_UNMAPPED;
  const enum hugetext_reason why
      = block->noted < 0
            ? remote_note (remote, block->maps, block->elf, block->start)
            : HUGETEXT_NONE;
  if (why != HUGETEXT_NONE)
    return why;
  changes_note_split (&remote->record,
                      changes_find (&remote->record, block->start));
  if (!changes_write (&remote->record, remote->tracee->memory))
    return REASON_NOT_WRITTEN;
  return keep_small (remote, block);
}

/* Restore the text of BLOCK.  Return HUGETEXT_NONE, or the reason why BLOCK is
   not restored.  */
static enum hugetext_reason
convert_undo_restore_text (struct remote *remote, struct block *block)
{
  enum hugetext_reason why = for_segments (remote, block, judge);
  /* The kernel does not tell whether hugetlb pages are locked.  */
  if (why == HUGETEXT_NONE && !block->pool)
    why = remote_look_for_locks (remote, block->maps, block->start, block->end,
                                 &block->locked);
  if (why == HUGETEXT_NONE)
    why = for_segments (remote, block, compare);
  if (why == HUGETEXT_NONE)
    why = for_segments (remote, block, convert_undo_try_mapping);
  if (why == HUGETEXT_NONE)
    why = clear_holes (remote, block);
  if (why == HUGETEXT_NONE)
    why = for_segments (remote, block, restore);
  if (why != HUGETEXT_NONE || block->noted < 0)
    return why;
  /* If the command has switched huge pages off for the block, keep the block's
     entry in the record, because the block should not become a huge page of
     its file again.  */
  if (!block->any || !changes_is_split (&remote->record, block->noted))
    remote_forget (remote, block->noted);
  else
    why = keep_small (remote, block);
  return why;
}

/* Restore BLOCK while all threads of its process are stopped.  Return
   HUGETEXT_NONE, or the reason why BLOCK is not restored.  */
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
  block->maps = &maps;
  const enum hugetext_reason why
      = block->own ? split (remote, block)
                   : convert_undo_restore_text (remote, block);
  procmaps_free (&maps);
  return why;
}

/* Restore the text of BLOCK while the process runs.  Return HUGETEXT_NONE, or
   the reason why BLOCK is not restored.  If no thread of the process stops,
   return REASON_NOT_STOPPED, and set PROBLEM to the details.  */
static enum hugetext_reason
put_back (struct remote *remote, struct block *block, unsigned int tried,
          struct problem *problem)
{
  if (!block->own
      && !textmap_read (block->elf, block->object->fd, block->start,
                        block->wanted))
    return REASON_FILE_UNREADABLE;
  if (!remote_stop (remote, problem))
    return REASON_NOT_STOPPED;
  enum hugetext_reason why = remote_freeze (remote, tried);
  if (why == HUGETEXT_NONE)
    why = put_back_stopped (remote, block);
  freeze_thaw (&remote->freeze);
  remote_go (remote);
  return why;
}

/* Restore block I of OBJECT.  PLAN is OBJECT's plan.  Return false if no
   thread of the process stops.  */
static bool
undo_block (struct remote *remote, const struct convert_object *object,
            const struct plan *plan, size_t i, char *buffers,
            struct problem *problem)
{
  struct convert_block *block = &object->blocks[i];
  struct block work = { .object = object,
                        .elf = &plan->elf.object,
                        .start = plan->blocks[i].start,
                        .end = plan->blocks[i].start + procmaps_block (),
                        .wanted = buffers,
                        .small = block->small,
                        .pool = (block->backing & BACKING_HUGETLB) != 0,
                        .locked = block->locked,
                        .any = block->back,
                        .own = (block->back && block->backing == BACKING_FILE),
                        .buffer = buffers + procmaps_block () };
  enum hugetext_reason why = block->refusal;
  for (unsigned int tried = 0;
       (tried == 0 && why == HUGETEXT_NONE)
       || (tried < REMOTE_TRIES && freeze_may_be_tried_again (why));
       tried++)
    why = put_back (remote, &work, tried, problem);
  block->done = why == HUGETEXT_NONE;
  /* A block that was moved back to make room for a hotter block must not
     become huge again.  */
  block->wanted = why != HUGETEXT_NONE && !block->back;
  /* If the stopped thread was killed or has ended, so that its system calls
     failed, record no reason for the block, because the command reports
     instead that the thread has ended.  */
  block->reason = remote->tracee->gone ? HUGETEXT_NONE : why;
  return why != REASON_NOT_STOPPED;
}

bool
convert_undo (struct conversion *all, struct tracee *tracee,
              struct problem *problem)
{
  struct remote remote;
  bool stopped = true;
  char *buffers = malloc (2 * procmaps_block ());
  bool good = buffers == NULL
                  ? problem_set (problem, "hugetext has run out of memory")
                  : remote_open_process (&remote, tracee, all, problem);
  if (!good)
    {
      free (buffers);
      return false;
    }
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; good && k < all->plans[i].nblocks; ++k)
      {
        const struct convert_block *block = &all->objects[i].blocks[k];
        /* If the blocks were chosen by heat, move only the cold blocks back to
           small pages here. convert_do puts the hot blocks on huge pages
           later.  */
        if (!(all->heats != NULL ? block->back : block->wanted))
          continue;
        if (convert_is_late (all))
          {
            good = problem_set (problem, "the time limit was reached, so some "
                                         "blocks are still on huge pages");
            break;
          }
        /* If no thread could be stopped to restore one block, try the other
           blocks nevertheless.  */
        stopped &= undo_block (&remote, &all->objects[i], &all->plans[i], k,
                               buffers, problem);
        good = remote_check (&remote, problem);
      }
  all->stops = remote.stops;
  remote_close (&remote);
  free (buffers);
  return good && stopped;
}
