/* Put the text of a running process back on small pages of its files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In place, segment by segment: each by one mremap of a mapping of the file,
   so that again nobody who runs there notices.  */

#include "convert.h"
#include "remote.h"
#include "textmap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Why what the process of TRACEE has at START must not be replaced by WANTED,
   what the file of ELF has there; NULL if it may.  BUFFER is as large.  */
static const char *
compare (const struct tracee *tracee, const struct hugetext_object *elf,
         uintptr_t start, const char *wanted, char *buffer)
{
  uintptr_t end = start + procmaps_block (), at = start;
  struct hugetext_piece piece;
  for (; hugetext_next_piece (elf, at, end, &piece); at = piece.end)
    {
      size_t length = piece.end - piece.start;
      if (piece.segment->write)
        return "it holds writable data, too";
      if (!tracee_read (tracee, piece.start, buffer, length))
        return "it cannot be read";
      if (memcmp (buffer, wanted + (piece.start - start), length) != 0)
        return "it was changed in memory (breakpoints of a debugger?)";
    }
  return NULL;
}

/* Whether what is mapped in the block at START is as it was when FOUND was
   looked at: executable where there is text.  */
static bool
is_there (pid_t pid, const struct hugetext_object *elf, uintptr_t start)
{
  uintptr_t end = start + procmaps_block (), at = start;
  struct hugetext_piece piece;
  struct procmaps maps;
  bool there = procmaps_read (pid, &maps) == 0;
  for (; there && hugetext_next_piece (elf, at, end, &piece); at = piece.end)
    {
      const struct mapping *first = procmaps_find (&maps, piece.start);
      const struct mapping *last = procmaps_find (&maps, piece.end - 1);
      there = (first != NULL && last != NULL && !first->writable
               && !last->writable && first->readable && last->readable
               && (!piece.segment->exec
                   || (first->executable && last->executable)));
    }
  procmaps_free (&maps);
  return there;
}

/* Put back block I of OBJECT, which ELF describes.  BUFFERS has room for two
   blocks.  Returns NULL or why not.  */
static const char *
put_back (struct remote *remote, const struct convert_object *object,
          const struct hugetext_object *elf, uintptr_t start, char *buffers,
          unsigned int tried)
{
  if (!textmap_read (elf, object->fd, start, buffers))
    return "its file cannot be read";
  const char *problem = remote_stop (remote);
  if (problem != NULL)
    return problem;
  if (!object->program)
    problem = remote_freeze (remote, tried);
  const bool frozen = !object->program && problem == NULL;
  if (problem == NULL && !is_there (remote->pid, elf, start))
    problem = "it is not mapped any more";
  if (problem == NULL)
    problem = compare (remote->tracee, elf, start, buffers,
                       buffers + procmaps_block ());
  if (problem == NULL && !remote_restore (remote, object, elf, start, true))
    problem = "its file cannot be mapped there";
  if (frozen)
    remote_thaw (remote);
  remote_go (remote);
  return problem;
}

const char *
convert_undo (struct conversion *all, struct tracee *tracee)
{
  struct remote remote;
  char *buffers = malloc (2 * procmaps_block ());
  const char *problem = buffers == NULL
                            ? "there is no memory"
                            : remote_open_process (&remote, tracee);
  if (problem != NULL)
    {
      free (buffers);
      return problem;
    }
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; problem == NULL && k < all->plans[i].nblocks; k++)
      {
        struct convert_block *block = &all->objects[i].blocks[k];
        const char *reason = NULL;
        if (!block->wanted)
          continue;
        for (unsigned int tried = 0;
             tried == 0 || (reason == freeze_late && tried < REMOTE_TRIES);
             tried++)
          reason = put_back (&remote, &all->objects[i],
                             &all->plans[i].elf.object,
                             all->plans[i].blocks[k].start, buffers, tried);
        block->done = reason == NULL;
        block->wanted = reason != NULL;
        snprintf (block->reason, sizeof block->reason, "%s",
                  reason != NULL ? reason : "");
        problem = remote_problem (&remote);
      }
  all->stops = remote.stops;
  all->longest = remote.longest;
  all->whole = remote.whole;
  remote_close (&remote);
  free (buffers);
  return problem;
}
