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

/* The undoing of one process.  */
struct undoing
{
  struct remote remote;
  bool reserved; /* The loader has reserved the holes beside objects.  */
  char *wanted, *buffer; /* The file's contents of a block, and a buffer of the
                            same size.  */
};

/* Return why the file's contents must not replace the memory in [START, END)
   of ELF; NULL if they may.  */
static const char *
compare (const struct undoing *work, const struct hugetext_object *elf,
         uintptr_t start, uintptr_t end)
{
  struct hugetext_piece piece;
  for (uintptr_t at = start; hugetext_next_piece (elf, at, end, &piece);
       at = piece.end)
    {
      size_t length = piece.end - piece.start;
      if (!tracee_read (work->remote.tracee, piece.start, work->buffer,
                        length))
        return "it cannot be read";
      if (memcmp (work->buffer, work->wanted + (piece.start - start), length)
          != 0)
        return "it was changed in memory (breakpoints of a debugger?)";
    }
  return NULL;
}

/* Free or reserve [START, END), a hole of ELF, if it is one mapping in MAPS
   with the copy of the segment at BESIDE.  What was free within the object is
   reserved.  */
static bool
clear_hole (struct undoing *work, const struct hugetext_object *elf,
            const struct procmaps *maps, uintptr_t start, uintptr_t end,
            uintptr_t beside)
{
  const struct mapping *map = procmaps_find (maps, start);
  const uintptr_t first = hugetext_object_start (elf) + elf->bias;
  if (start >= end || map == NULL || map->start > start || map->end < end
      || map->start > beside || map->end <= beside || !map->executable
      || map->writable)
    return true;
  if (!work->reserved
      && (end <= first || start >= first + hugetext_object_length (elf)))
    return remote_call (&work->remote, SYS_munmap, start, end - start) == 0;
  return remote_call (&work->remote, SYS_mmap, start, end - start, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                      -1)
         == (long) start;
}

/* Restore BLOCK while all threads of its process are stopped.  Return NULL or
   why not.  */
static const char *
put_back_frozen (struct undoing *work, const struct convert_block *block)
{
  const struct convert_object *object = block->object;
  const struct hugetext_object *elf = &object->plan->elf.object;
  const uintptr_t start = block->planned->start;
  const uintptr_t end = start + procmaps_block ();
  struct procmaps maps;
  struct hugetext_piece piece;
  uintptr_t at = start;
  const char *problem = remote_obstacle (&work->remote, object, elf, start);
  if (problem != NULL)
    return problem;
  if (procmaps_read (work->remote.pid, &maps) < 0)
    return "it has ended";
  problem = convert_is_replaced (block, &maps)
                ? compare (work, elf, start, end)
                : "it is not mapped any more";
  bool good = true;
  for (; problem == NULL && good && hugetext_next_piece (elf, at, end, &piece);
       at = piece.end)
    good = clear_hole (work, elf, &maps, at, piece.start,
                       at > start ? at - 1 : piece.start);
  if (problem == NULL && good)
    good = clear_hole (work, elf, &maps, at, end, at - 1);
  for (at = start;
       problem == NULL && good && hugetext_next_piece (elf, at, end, &piece);
       at = piece.end)
    good = remote_restore (&work->remote, object, piece.start, piece.end,
                           piece.segment->exec ? object->prot : PROT_READ,
                           piece.offset);
  procmaps_free (&maps);
  return good ? problem : "its file cannot be mapped there: it may be gone";
}

/* Restore BLOCK of a process that runs.  Return NULL or why not.  */
static const char *
put_back (struct undoing *work, const struct convert_block *block)
{
  struct remote *remote = &work->remote;
  const char *problem = NULL;
  if (!textmap_read (&block->object->plan->elf.object, block->object->fd,
                     block->planned->start, work->wanted))
    return "its file cannot be read";
  for (remote->tried = 0; remote->tried < REMOTE_TRIES; ++remote->tried)
    {
      problem = remote_stop (remote);
      if (problem == NULL)
        {
          problem = put_back_frozen (work, block);
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
  struct undoing work;
  const char *loader = inspect_loader (&all->found);
  const char *problem = remote_open_process (&work.remote, tracee);
  if (problem != NULL)
    return problem;
  work.reserved = loader == NULL || strcmp (loader, "ld-hugetext") == 0;
  work.wanted = malloc (2 * procmaps_block ());
  work.buffer = work.wanted + procmaps_block ();
  if (work.wanted == NULL)
    problem = "there is no memory";
  for (size_t i = 0; problem == NULL && i < all->nblocks; ++i)
    {
      struct convert_block *block = &all->blocks[i];
      if (!block->wanted)
        continue;
      if (convert_is_late (all))
        {
          problem = "it took too long: not all was put back";
          break;
        }
      const char *reason = put_back (&work, block);
      block->done = reason == NULL;
      block->wanted = reason != NULL;
      convert_say (block, reason != NULL ? reason : "");
      problem = remote_problem (&work.remote);
    }
  remote_close (&work.remote, all);
  free (work.wanted);
  return problem;
}
