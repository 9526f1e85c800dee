/* The conversion of a running process: its text is put on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/convert.h"
#include "attach/remote.h"
#include "object/textmap.h"
#include "host/filecache.h"
#include "tracee/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* Linux 6.1.  */
#endif

enum
{
  /* The most blocks that are replaced in one stop, and the most copies, for
     which there must be memory.  */
  RUN_MAX = 64,
  COPIES_MAX = 8,
  /* Milliseconds after which a stop makes no more blocks: with the block that
     is being made then, and the move, it lasts about 10.  A copy in memory
     that a virtual machine has given back to its host takes 5.  */
  STOP_TIME = 4,
};

/* A run: successive blocks of one object.  */
struct run
{
  struct convert_object *object;
  struct convert_block *blocks;
  size_t count;
  enum way way;
  uintptr_t start;   /* Address of the first block.  */
  uint64_t offset;   /* Offset of the first block in the file or image.  */
  uintptr_t staging; /* Address of the staging area beside the text, 0 if there
                        is none,  */
  size_t staged;     /* for this many blocks.  */
  char *bytes;       /* The bytes of copies, or NULL.  */
  bool huge[RUN_MAX];
};

/* The work on a conversion.  */
struct work
{
  struct conversion *all;
  struct remote remote;
  struct way_facts facts;
  const char *problem; /* Why the work cannot go on.  */
};

static uintptr_t
staged (const struct run *run, size_t i)
{
  return run->staging + i * procmaps_block ();
}

/* Note REASON why blocks [FIRST, LAST) of RUN are not huge, unless one has
   been noted.  */
static void
say_why (const struct run *run, size_t first, size_t last, const char *reason)
{
  for (size_t i = first; i < last; ++i)
    if (run->blocks[i].reason[0] == '\0')
      convert_say (&run->blocks[i], reason);
}

/* Gather block I of RUN beside the text into a huge page.  */
static void
gather (struct work *work, struct run *run, size_t i)
{
  run->huge[i] = (remote_call (&work->remote, SYS_madvise, staged (run, i),
                               procmaps_block (), MADV_COLLAPSE)
                      == 0
                  && remote_is_huge (&work->remote, staged (run, i)));
}

/* Map memory, RUN's file or its image beside the text.  Return NULL or why
   not.  */
static const char *
map_beside (struct remote *remote, struct run *run)
{
  const size_t length = run->count * procmaps_block ();
  const struct convert_object *object = run->object;
  if (run->way == WAY_COPY)
    run->staging = remote_map (remote, length);
  else if (run->way == WAY_STORE)
    run->staging
        = remote_map_file (remote, object->image.image.name, object->image_fd,
                           length, object->prot, run->offset);
  else
    run->staging = remote_map_file (remote, object->text->name, object->fd,
                                    length, object->prot, run->offset);
  remote_thaw (remote);
  if (run->staging == 0)
    return run->way == WAY_COPY
               ? "its memory or address space is limited, or full"
               : "its file cannot be opened and mapped there";
  remote_call (remote, SYS_madvise, run->staging, length, MADV_HUGEPAGE);
  if (run->way != WAY_COPY)
    remote_call (remote, SYS_madvise, run->staging, length, MADV_RANDOM);
  return NULL;
}

/* Put the blocks of RUN, which are its file's or image's, on huge pages beside
   the text.  */
static void
stage_file (struct work *work, struct run *run)
{
  struct remote *remote = &work->remote;
  const int fd
      = run->way == WAY_STORE ? run->object->image_fd : run->object->fd;
  const bool gathers = filecache_gathers (fd);
  bool settled = false;
  /* Touch all blocks first: before Linux 6.7 the kernel tells only how much of
     a mapping is huge.  */
  for (size_t i = 0; i < run->count; ++i)
    run->huge[i] = remote_touch (remote, staged (run, i));
  for (; run->staged < run->count; ++run->staged)
    {
      const size_t i = run->staged;
      run->huge[i] = run->huge[i] && remote_is_huge (remote, staged (run, i));
      if (run->huge[i] || !gathers || remote_time (remote) > STOP_TIME)
        continue;
      settled = settled || filecache_settle (fd);
      if (settled)
        gather (work, run, i);
    }
}

/* Make copies of RUN beside the text, as many as there is time for.  Return
   NULL or why not.  */
static const char *
stage_copies (struct work *work, struct run *run)
{
  struct remote *remote = &work->remote;
  const uintptr_t block = procmaps_block ();
  for (; run->staged < run->count
         && (run->staged == 0 || remote_time (remote) < STOP_TIME);
       ++run->staged)
    {
      const size_t i = run->staged;
      const char *bytes = run->bytes + i * block;
      /* Write one page, which tells whether the block is huge; a small block
         is not filled.  */
      if (!tracee_write (remote->tracee, staged (run, i), bytes,
                         getpagesize ()))
        return "its memory cannot be written";
      run->huge[i] = remote_is_huge (remote, staged (run, i));
      if (!run->huge[i])
        gather (work, run, i);
      if (!run->huge[i])
        say_why (run, i, i + 1, "no huge page was free for a copy");
      run->huge[i]
          = (run->huge[i]
             && tracee_write (remote->tracee, staged (run, i), bytes, block));
    }
  long result = remote_call (remote, SYS_mprotect, run->staging,
                             run->count * block, run->object->prot);
  if (result == -EACCES || result == -EPERM)
    return work->facts.no_copies
           = "no copies: what was writable may not become executable in it"
             " (MemoryDenyWriteExecute=, PR_SET_MDWE)";
  return result == 0 ? NULL : "its memory cannot be made executable";
}

/* Look again whether blocks of RUN may be replaced.  Blocks that may not are
   marked as not huge.  */
static void
look_again (struct work *work, struct run *run)
{
  const struct textmap text
      = { &run->object->plan->elf.object, run->object->text->device,
          run->object->text->inode };
  const uintptr_t block = procmaps_block ();
  struct procmaps maps;
  const bool read = procmaps_read (work->all->pid, &maps) == 0;
  for (size_t i = 0; i < run->staged; ++i)
    {
      const uintptr_t start = run->start + i * block;
      if (!run->huge[i])
        continue;
      const char *problem
          = remote_obstacle (&work->remote, run->object, text.object, start);
      if (problem == NULL)
        problem
            = read ? textmap_obstacle (&text, &maps, start) : "it has ended";
      if (problem == NULL)
        problem = textmap_private (work->remote.pages.pagemap, start,
                                   start + block);
      run->huge[i] = problem == NULL;
      if (problem != NULL)
        say_why (run, i, i + 1, problem);
    }
  if (read)
    procmaps_free (&maps);
}

/* Note that blocks [FIRST, LAST) of RUN are in place.  */
static void
note_done (struct work *work, const struct run *run, size_t first, size_t last)
{
  static const unsigned int backings[]
      = { BACKING_FILE, BACKING_STORE, BACKING_THP };
  struct hugetext_charge charge = { 0, 0 };
  for (size_t i = first; i < last; ++i)
    {
      struct convert_block *block = &run->blocks[i];
      block->done = true;
      block->wanted = false;
      block->backing = backings[run->way];
      block->reason[0] = '\0';
      _dl_hugetext_ledger_take (&work->all->ledger, &charge,
                                run->way == WAY_COPY);
    }
}

/* Map RUN's file again in [START, END), where nothing is mapped any more:
   without memory for page tables the kernel may have removed the text before
   it failed to move other text there.  */
static void
fill_up (struct work *work, const struct run *run, uintptr_t start,
         uintptr_t end)
{
  struct procmaps maps;
  struct hugetext_piece piece;
  if (procmaps_read (work->all->pid, &maps) < 0)
    return;
  for (; hugetext_next_piece (&run->object->plan->elf.object, start, end,
                              &piece);
       start = piece.end)
    if (procmaps_find (&maps, piece.start) == NULL)
      remote_restore (&work->remote, run->object, piece.start, piece.end,
                      piece.segment->exec ? run->object->prot : PROT_READ,
                      piece.offset);
  procmaps_free (&maps);
}

/* Keep blocks [FIRST, LAST) of RUN, which are copies, out of cores, which
   contain a process's own data, except blocks with an ELF header, by which an
   object is known.  Do so only after the move: until Linux 6.17 mremap moves
   one mapping only, and with two it has removed the text when it fails.  */
static void
keep_from_cores (struct work *work, const struct run *run, size_t first,
                 size_t last)
{
  const uintptr_t block = procmaps_block ();
  for (size_t i = first; i < last; ++i)
    {
      const uintptr_t start = run->start + i * block;
      if (!hugetext_holds_header (&run->object->plan->elf.object, start,
                                  start + block))
        remote_call (&work->remote, SYS_madvise, start, block, MADV_DONTDUMP);
    }
}

/* Move the huge blocks of RUN over the text.  */
static void
move_all (struct work *work, struct run *run)
{
  const uintptr_t block = procmaps_block ();
  for (size_t i = 0, end; i < run->staged; i = end)
    {
      for (end = i + 1; end < run->staged && run->huge[end] == run->huge[i];)
        ++end;
      if (!run->huge[i])
        continue;
      const uintptr_t to = run->start + i * block;
      const size_t length = (end - i) * block;
      const char *why = remote_move (&work->remote, run->object,
                                     staged (run, i), length, to);
      if (why == NULL)
        {
          note_done (work, run, i, end);
          if (run->way == WAY_COPY)
            keep_from_cores (work, run, i, end);
          continue;
        }
      say_why (run, i, end, why);
      fill_up (work, run, to, to + length);
    }
}

/* Unmap the rest of RUN's staging area.  */
static void
unstage (struct work *work, const struct run *run)
{
  if (run->staging == 0)
    return;
  remote_keep (&work->remote);
  for (size_t i = 0, end; i < run->count; i = end)
    {
      end = i + 1;
      if (run->blocks[i].done)
        continue;
      while (end < run->count && !run->blocks[end].done)
        ++end;
      remote_call (&work->remote, SYS_munmap, staged (run, i),
                   (end - i) * procmaps_block ());
    }
}

/* Make and replace the blocks of RUN, in a stop of its own.  */
static void
do_run (struct work *work, struct run *run)
{
  struct remote *remote = &work->remote;
  run->staged = 0;
  /* Do not try again if there are too many threads, or busy ones.  */
  if (remote->late != NULL)
    {
      say_why (run, 0, run->count, remote->late);
      return;
    }
  const char *problem = remote_stop (remote);
  if (problem != NULL && problem == remote->late)
    say_why (run, 0, run->count, problem);
  else
    work->problem = problem;
  if (problem != NULL)
    return;
  problem = map_beside (remote, run);
  if (problem == NULL && run->way == WAY_COPY)
    problem = stage_copies (work, run);
  else if (problem == NULL)
    stage_file (work, run);
  if (problem == NULL)
    problem = remote_freeze (remote);
  if (problem == NULL)
    {
      look_again (work, run);
      move_all (work, run);
    }
  else if (remote_problem (remote) == NULL
           && (run->way == WAY_COPY || problem == remote->late))
    say_why (run, 0, run->count, problem);
  unstage (work, run);
  remote_go (remote);
  work->problem = remote_problem (remote);
}

/* Read the bytes of RUN, which are copies.  */
static bool
read_bytes (struct run *run)
{
  const uintptr_t block = procmaps_block ();
  run->bytes = malloc (run->count * block);
  for (size_t i = 0; run->bytes != NULL && i < run->count; ++i)
    if (!textmap_read (&run->object->plan->elf.object, run->object->fd,
                       run->start + i * block, run->bytes + i * block))
      {
        say_why (run, 0, run->count, "its file cannot be read");
        return false;
      }
  return run->bytes != NULL;
}

/* Return how many blocks WAY may make in one stop.  */
static size_t
most (struct work *work, enum way way)
{
  if (way != WAY_COPY)
    return RUN_MAX;
  const size_t left = way_copies_left (work->all);
  if (left == 0)
    work->facts.no_copies = "no copies: memory, a limit of it or the CPU's TLB"
                            " leaves no room for more";
  return left < COPIES_MAX ? left : COPIES_MAX;
}

/* Make the wanted blocks from block FIRST on by WAY, as many as fit into one
   stop.  Return the number of the next block.  */
static size_t
next_run (struct work *work, size_t first, enum way way)
{
  const uintptr_t block = procmaps_block ();
  struct convert_block *blocks = &work->all->blocks[first];
  struct run run = { .object = blocks->object,
                     .blocks = blocks,
                     .start = blocks->planned->start,
                     .way = way };
  const size_t left = work->all->nblocks - first, limit = most (work, way);
  while (run.count < left && run.count < limit)
    {
      const size_t length = run.count * block;
      uint64_t offset;
      if (!blocks[run.count].wanted || blocks[run.count].object != run.object
          || blocks[run.count].planned->start != run.start + length
          || !way_can_be_had (&work->facts, &blocks[run.count], way, &offset)
          || (run.count > 0 && way != WAY_COPY
              && offset != run.offset + length))
        break;
      if (run.count == 0)
        run.offset = offset;
      ++run.count;
    }
  if (run.count > 0 && (way != WAY_COPY || read_bytes (&run)))
    do_run (work, &run);
  free (run.bytes);
  /* What there was no time for comes next.  */
  const size_t made = run.staged > 0 ? run.staged : run.count;
  return first + (made > 0 ? made : 1);
}

/* Make all wanted blocks by WAY.  */
static void
do_way (struct work *work, enum way way)
{
  const struct conversion *all = work->all;
  for (size_t i = 0;
       work->problem == NULL && i < all->nblocks && !convert_is_late (all);)
    i = all->blocks[i].wanted ? next_run (work, i, way) : i + 1;
}

/* Note why the blocks that are still wanted cannot be made.  */
static void
say_rest (struct work *work)
{
  for (size_t i = 0; i < work->all->nblocks; ++i)
    {
      struct convert_block *block = &work->all->blocks[i];
      if (block->wanted && block->reason[0] == '\0')
        convert_say (block, convert_is_late (work->all)
                                ? "the time for one process is over"
                                : way_why_left (&work->facts, block));
      block->wanted = block->wanted && !plan_is_cold (block->planned);
    }
}

static bool
is_anything_wanted (const struct conversion *all)
{
  for (size_t i = 0; i < all->nblocks; ++i)
    if (all->blocks[i].wanted)
      return true;
  return false;
}

const char *
convert_do (struct conversion *all, struct tracee *tracee)
{
  struct work work = { .all = all };
  struct remote *remote = &work.remote;
  if (!is_anything_wanted (all))
    return NULL;
  work.problem = remote_open_process (remote, tracee);
  if (work.problem != NULL)
    return work.problem;
  work.facts = (struct way_facts){ .all = all, .serves = remote->serves };
  do
    {
      remote->late = NULL;
      for (enum way way = 0; way < WAYS; ++way)
        {
          /* Ask late: the answer takes a while, and is seldom needed.  */
          if (way == WAY_COPY && remote->tried == 0
              && is_anything_wanted (all))
            work.facts.no_copies = way_judge_copies (all);
          do_way (&work, way);
        }
    }
  while (remote->late != NULL && ++remote->tried < REMOTE_TRIES);
  say_rest (&work);
  remote_close (remote, all);
  return work.problem;
}
