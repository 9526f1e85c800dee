/* The undoing of a conversion: text is mapped from its file again.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The undoing restores blocks whose text is in copies or in an image, with
   the file's bytes; blocks that are the file's own huge pages stay.  It goes
   block by block, each segment by one mremap of a mapping of the file, so that
   a thread that runs there does not notice.  Holes come first: a hole is part
   of the copy as long as it is one mapping with the segment beside it.  */

#include "attach/convert.h"
#include "attach/remote.h"
#include "object/textmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* A block that is restored.  */
struct block
{
  const struct convert_object *object;
  const struct hugetext_object *elf;
  bool reserved; /* The loader has reserved the holes beside the object.  */
  uintptr_t start, end;
  char *wanted, *buffer; /* The file's contents of the block, and a buffer of
                            the same size.  */
};

bool
convert_is_replaced (const struct convert_block *block,
                     const struct procmaps *maps)
{
  const struct object_text *text = block->object->text;
  uintptr_t at = block->planned->start, end = at + procmaps_block ();
  struct hugetext_piece piece;
  bool replaced = false;
  for (;
       hugetext_next_piece (&block->object->plan->elf.object, at, end, &piece);
       at = piece.end)
    {
      const struct mapping *first = procmaps_find (maps, piece.start);
      const struct mapping *last = procmaps_find (maps, piece.end - 1);
      if (piece.segment->write || first == NULL || last == NULL
          || first->writable || last->writable || !first->readable
          || !last->readable
          || (piece.segment->exec && !(first->executable && last->executable)))
        return false;
      replaced |= first->inode != text->inode || first->device != text->device;
    }
  return replaced;
}

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
      if (!tracee_read (tracee, piece.start, block->buffer, length))
        return "it cannot be read";
      if (memcmp (block->buffer, block->wanted + (piece.start - block->start),
                  length)
          != 0)
        return "it was changed in memory (breakpoints of a debugger?)";
    }
  return NULL;
}

/* Free or reserve [START, END), a hole of BLOCK, if it is one mapping in MAPS
   with the copy of the segment beside it.  What was free within the object is
   reserved.  */
static bool
clear_hole (struct remote *remote, const struct block *block,
            const struct procmaps *maps, uintptr_t start, uintptr_t end)
{
  const struct mapping *map = procmaps_find (maps, start);
  const uintptr_t beside = start > block->start ? start - 1 : end;
  const uintptr_t first
      = hugetext_object_start (block->elf) + block->elf->bias;
  if (start >= end || map == NULL || map->start > start || map->end < end
      || map->start > beside || map->end <= beside || !map->executable
      || map->writable)
    return true;
  if (!block->reserved
      && (end <= first
          || start >= first + hugetext_object_length (block->elf)))
    return remote_call (remote, SYS_munmap, start, end - start) == 0;
  return remote_call (remote, SYS_mmap, start, end - start, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                      -1)
         == (long) start;
}

/* Restore BLOCK, of FOUND, while all threads of its process are stopped.
   Return NULL or why not.  */
static const char *
put_back_frozen (struct remote *remote, const struct convert_block *found,
                 const struct block *block)
{
  struct procmaps maps;
  struct hugetext_piece piece;
  if (procmaps_read (remote->pid, &maps) < 0)
    return "it has ended";
  const char *problem = convert_is_replaced (found, &maps)
                            ? compare (remote->tracee, block)
                            : "it is not mapped any more";
  bool good = true;
  uintptr_t at = block->start;
  for (; problem == NULL && good
         && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    good = clear_hole (remote, block, &maps, at, piece.start);
  if (problem == NULL && good)
    good = clear_hole (remote, block, &maps, at, block->end);
  for (at = block->start;
       problem == NULL && good
       && hugetext_next_piece (block->elf, at, block->end, &piece);
       at = piece.end)
    good = remote_restore (
        remote, block->object, piece.start, piece.end,
        piece.segment->exec ? block->object->prot : PROT_READ, piece.offset);
  procmaps_free (&maps);
  return good ? problem : "its file cannot be mapped there: it may be gone";
}

/* Restore BLOCK, of FOUND, in a process that runs.  Return NULL or why
   not.  */
static const char *
put_back (struct remote *remote, const struct convert_block *found,
          const struct block *block)
{
  if (!textmap_read (block->elf, block->object->fd, block->start,
                     block->wanted))
    return "its file cannot be read";
  const char *problem = NULL;
  for (remote->tried = 0; remote->tried < REMOTE_TRIES; ++remote->tried)
    {
      problem = remote_stop (remote);
      if (problem == NULL)
        {
          problem = remote_obstacle (remote, block->object, block->elf,
                                     block->start);
          if (problem == NULL)
            problem = put_back_frozen (remote, found, block);
          remote_go (remote);
        }
      if (!freeze_may_be_tried_again (problem))
        break;
    }
  return problem;
}

const char *
convert_undo (struct conversion *all, struct tracee *tracee)
{
  struct remote remote = { .tracee = NULL };
  const uintptr_t size = procmaps_block ();
  const char *loader = inspect_loader (&all->found);
  char *buffers = malloc (2 * size);
  const char *problem = buffers == NULL
                            ? "there is no memory"
                            : remote_open_process (&remote, tracee);
  for (size_t i = 0; problem == NULL && i < all->nblocks; ++i)
    {
      struct convert_block *block = &all->blocks[i];
      const uintptr_t start = block->planned->start;
      if (!block->wanted)
        continue;
      if (convert_is_late (all))
        {
          problem = "it took too long: not all was put back";
          break;
        }
      const char *reason = put_back (
          &remote, block,
          &(struct block){ block->object, &block->object->plan->elf.object,
                           loader == NULL
                               || strcmp (loader, "ld-hugetext") == 0,
                           start, start + size, buffers, buffers + size });
      block->done = reason == NULL;
      block->wanted = reason != NULL;
      convert_say (block, reason != NULL ? reason : "");
      problem = remote_problem (&remote);
    }
  if (buffers != NULL && remote.tracee != NULL)
    remote_close (&remote, all);
  free (buffers);
  return problem;
}
