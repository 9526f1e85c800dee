/* Put the text of a running process on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/convert.h"
#include "attach/convert-way.h"
#include "attach/inplace.h"
#include "attach/remote.h"
#include "object/textmap.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "tracee/filter.h"
#include "tracee/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* Linux has had this constant since 6.1.  */
#endif

/* The maximum number of blocks that the command replaces in one stop of all
   threads.  */
#define RUN_MAX 64

/* The estimated time for one block in milliseconds, until the time for a block
   has been measured.  The estimate for a copy is high, so that the command
   makes only one copy during the first stop of the threads.  The first copies
   may be slow: in a virtual machine, the host may first have to provide the
   memory for them.  */
#define COPY_ESTIMATE 5.0

#define MAP_ESTIMATE 0.1

/* If less than this time, in nanoseconds, is left before the time limit for a
   process, the command begins no further step, so that it can finish its work
   in time.  */
#define END_TIME 5000000000L

/* A stop of the process is too long if it lasts more than STOP_MOST
   milliseconds.  After STOPS_MOST stops that were too long, the command
   changes no further blocks, because the machine is busy, and a later attempt
   would disturb the process less.  */
#define STOP_MOST 100.0
#define STOPS_MOST 2

/* After an madvise call with MADV_COLLAPSE that takes longer than
   COLLAPSE_MOST nanoseconds, the command collapses no further pages.
   MADV_COLLAPSE waits for a kernel thread on each processor, which takes more
   than a second on a busy machine.  */
#define COLLAPSE_MOST 20000000L

/* A run, that is, successive blocks of one object that the command replaces in
   one stop of all threads.  */
struct run
{
  struct convert_object *object;
  struct plan *plan;
  size_t first, count; /* The index of the run's first block in the arrays of
                          the object and of its plan, and the number of blocks
                          of the run.  */
  enum way way;
  uintptr_t start;   /* Address of the first block.  */
  uint64_t offset;   /* Offset of the first block in the file or image.  */
  uintptr_t staging; /* The address of the staging area, where the command
                        prepares the huge pages before it moves them over the
                        text, or 0 if the area is not mapped.  */
  char *bytes;       /* The bytes of the object's file to write into copies, or
                        NULL if the run makes no copies.  */
  bool collapses;    /* True if the kernel can collapse small pages of the file
                        or the image.  */
  enum hugetext_reason small; /* The reason why the kernel gave no huge page
                                 for a copy.  */
  bool huge[RUN_MAX];
};

/* The state of convert_do, which puts the text of one process on huge
   pages.  */
struct work
{
  struct conversion *all;
  struct remote remote;
  double deadline;
  double estimate[WAYS]; /* The estimated number of milliseconds for one block,
                            for each way to make blocks huge.  */
  struct way_facts facts;
  unsigned int tried;        /* The number of rounds that have begun.  */
  unsigned int slow;         /* The number of stops of the process that lasted
                                more than STOP_MOST milliseconds.  */
  bool slow_collapse;        /* True if collapsing small pages takes too
                                long.  */
  enum hugetext_reason late; /* The reason why the command could not stop the
                                threads in this round.  */
  bool over;                 /* True if the command cannot change the process
                                any further.  */
  struct problem problem;    /* If OVER is true, the reason why the command
                                cannot continue.  */
};

static struct convert_block *
block_of (const struct run *run, size_t i)
{
  return &run->object->blocks[run->first + i];
}

static uintptr_t
staged (const struct run *run, size_t i)
{
  return run->staging + i * procmaps_block ();
}

/* Record REASON for the blocks in [FIRST, LAST) of RUN that are not huge and
   have no reason yet.  */
static void
say_why (const struct run *run, size_t first, size_t last,
         enum hugetext_reason reason)
{
  for (size_t i = first; i < last; ++i)
    if (block_of (run, i)->reason == HUGETEXT_NONE)
      block_of (run, i)->reason = reason;
}

/* Make the kernel collapse the small pages of the staged block at ADDRESS,
   unless an earlier collapse took too long.  Return true if the block is
   huge.  */
static bool
convert_collapse_block (struct work *work, uintptr_t address)
{
  if (work->slow_collapse)
    return false;
  const long begin = thread_now ();
  const long result = remote_call (&work->remote, SYS_madvise, address,
                                   procmaps_block (), MADV_COLLAPSE, 0, 0, 0);
  work->slow_collapse
      = (thread_now () - begin > COLLAPSE_MOST && !work->all->fresh);
  return result == 0 && remote_is_huge (&work->remote, address);
}

/* Find out whether the kernel can collapse small pages of RUN's file or image.
   The kernel collapses only pages without unwritten changes, so first wait
   until all changes of the file are on the disk.  Call this function before a
   thread is stopped, because the wait may be long.  */
static void
settle (struct run *run)
{
  struct convert_object *object = run->object;
  const bool image = run->way == WAY_STORE;
  const int fd = image ? object->image_fd : object->fd;
  struct truth *settled
      = image ? &object->image_settled : &object->file_settled;
  if (run->way != WAY_FILE && run->way != WAY_STORE)
    return;
  if (settled->is == TRUTH_UNKNOWN)
    *settled = truth_of (filecache_collapses (fd) && filecache_settle (fd));
  run->collapses = settled->is == TRUTH_YES;
}

/* Map the file or the image of RUN's object in RUN's staging area.  Return
   false if the mapping fails.  */
static bool
stage_file (struct work *work, struct run *run)
{
  struct remote *remote = &work->remote;
  const size_t length = run->count * procmaps_block ();
  const bool image = run->way == WAY_STORE;
  struct convert_object *object = run->object;
  enum hugetext_reason why = HUGETEXT_NONE;
  run->staging
      = image ? remote_map_file (remote, object->image.name, object->image_fd,
                                 length, object->prot, run->offset, true, &why)
              : remote_map_object (remote, object, length, object->prot,
                                   run->offset, &why);
  if (run->staging == 0)
    {
      *(image ? &object->image_failed : &object->file_failed) = why;
      return false;
    }
  remote_advise (remote, run->staging, length);
  remote_look (remote, run->staging, run->count, run->huge);
  for (size_t i = 0; i < run->count; ++i)
    if (hugetext_cache_step (
            (struct hugetext_cached){ .huge = run->huge[i],
                                      .renewed = true,
                                      .collapses = run->collapses })
        == HUGETEXT_CACHE_COLLAPSE)
      run->huge[i] = convert_collapse_block (work, staged (run, i));
  return true;
}

/* Copy the blocks of RUN to RUN's staging area.  Return HUGETEXT_NONE, or the
   reason why copying fails.  */
static enum hugetext_reason
stage_copies (struct work *work, struct run *run)
{
  struct remote *remote = &work->remote;
  const uintptr_t block = procmaps_block ();
  const size_t length = run->count * block;
  enum
  {
    FILL = PROT_READ | PROT_WRITE,
  };
  /* If possible, map the staging area with PROT_NONE first, and make it
     accessible only after madvise has asked for huge pages.  After mlockall
     with MCL_FUTURE, mmap would at once fill an accessible area with small
     pages.  */
  const bool later
      = !remote->tracee->at_exec
        && !filter_refuses (remote->tracee->refused, SYS_mprotect, FILL);
  run->staging = remote_map_at (remote, 0, length, later ? PROT_NONE : FILL,
                                MAP_ANONYMOUS, -1, 0);
  if (run->staging == 0)
    return REASON_SPACE_LIMITED;
  const long advised = remote_call (remote, SYS_madvise, run->staging, length,
                                    MADV_HUGEPAGE, 0, 0, 0);
  run->small = advised == 0 ? HUGETEXT_NOT_HUGE
                            : remote_why (remote, SYS_madvise, MADV_HUGEPAGE,
                                          HUGETEXT_NOT_HUGE);
  if (later
      && remote_call (remote, SYS_mprotect, run->staging, length, FILL, 0, 0,
                      0)
             != 0)
    return REASON_SPACE_LIMITED;
  /* Write to one page of each block, to find out whether the kernel gives a
     huge page for the block.  Do not copy blocks for which the kernel gives no
     huge page.  */
  for (size_t i = 0; i < run->count; ++i)
    if (!thread_write (remote->tracee->memory, staged (run, i),
                       run->bytes + i * block, getpagesize ()))
      return REASON_NOT_WRITTEN;
  for (size_t i = 0; i < run->count; ++i)
    run->huge[i] = ((remote_is_huge (remote, staged (run, i))
                     || convert_collapse_block (work, staged (run, i)))
                    && thread_write (remote->tracee->memory, staged (run, i),
                                     run->bytes + i * block, block));
  long result = remote_call (remote, SYS_mprotect, run->staging, length,
                             run->object->prot, 0, 0, 0);
  if (result == -EACCES || result == -EPERM)
    work->facts.no_copies = HUGETEXT_PROTECT;
  return (result == 0         ? HUGETEXT_NONE
          : result == -ENOMEM ? REASON_SPACE_LIMITED
                              : HUGETEXT_PROTECT);
}

/* While no other thread runs, check which blocks of RUN may be replaced, and
   add these blocks to the record.  For each block that must not be replaced,
   set the element of RUN's HUGE to false.  Return true if a block may be
   replaced.  */
static bool
look_again (struct work *work, struct run *run)
{
  const struct convert_object *object = run->object;
  const uintptr_t block = procmaps_block ();
  struct procmaps maps;
  bool any = false;
  if (procmaps_read_range (work->all->pid, run->start,
                           run->start + run->count * block, &maps)
      < 0)
    {
      say_why (run, 0, run->count, REASON_MAPPINGS_UNKNOWN);
      return false;
    }
  const bool locks = !work->all->fresh
                     && remote_may_be_locked (&work->remote, run->start,
                                              run->start + run->count * block);
  for (size_t i = 0; i < run->count; ++i)
    {
      uintptr_t start = run->start + i * block;
      bool gap;
      if (!run->huge[i])
        continue;
      const struct textmap text
          = { &run->plan->elf.object, object->text->device,
              object->text->inode, block_of (run, i)->reserved };
      enum hugetext_reason why = textmap_obstacle (&text, &maps, start, &gap);
      if (why == HUGETEXT_NONE)
        why = textmap_private (work->remote.pages.pagemap, start,
                               start + block);
      block_of (run, i)->locked &= locks;
      if (why == HUGETEXT_NONE && locks)
        why = remote_look_for_locks (&work->remote, &maps, start,
                                     start + block,
                                     &block_of (run, i)->locked);
      if (why == HUGETEXT_NONE)
        why = remote_needed (&work->remote, object, start);
      if (why == HUGETEXT_NONE)
        why = remote_note (&work->remote, &maps, &run->plan->elf.object,
                           start);
      run->huge[i] = why == HUGETEXT_NONE;
      say_why (run, i, i + 1, why);
      any |= run->huge[i];
    }
  procmaps_free (&maps);
  if (!any)
    return false;
  remote_note_cap (&work->remote, plan_cap (&work->all->settings));
  if (changes_write (&work->remote.record, work->remote.tracee->memory))
    return true;
  say_why (run, 0, run->count, REASON_NOT_WRITTEN);
  return false;
}

/* Mark the blocks [FIRST, LAST) of RUN, which have replaced the text, as
   done.  */
static void
note_done (struct work *work, const struct run *run, size_t first, size_t last)
{
  static const unsigned int backings[]
      = { BACKING_FILE, BACKING_FILE, BACKING_STORE, BACKING_THP };
  struct hugetext_charge charge = { 0, 0 };
  for (size_t i = first; i < last; ++i)
    {
      struct convert_block *block = block_of (run, i);
      block->done = true;
      block->wanted = false;
      block->backing = backings[run->way];
      block->reason = HUGETEXT_NONE;
      _dl_hugetext_ledger_take (&work->all->ledger, &charge,
                                run->way == WAY_COPY);
    }
}

/* Mark all huge blocks of RUN as done, because they are now mapped in place of
   the text.  */
static void
convert_mark_done (struct work *work, const struct run *run)
{
  for (size_t i = 0; i < run->count; ++i)
    if (run->huge[i])
      note_done (work, run, i, i + 1);
}

/* Map RUN's file again at the addresses in [START, END) where nothing is
   mapped.  If LOCKED is true, lock these pages in memory.  */
static void
fill_up (struct work *work, const struct run *run, uintptr_t start,
         uintptr_t end, bool locked)
{
  struct procmaps maps;
  struct hugetext_piece piece;
  if (procmaps_read_range (work->all->pid, start, end, &maps) < 0)
    return;
  for (; hugetext_next_piece (&run->plan->elf.object, start, end, &piece);
       start = piece.end)
    if (procmaps_find (&maps, piece.start) == NULL)
      remote_restore (&work->remote, run->object, piece.start, piece.end,
                      piece.segment->exec ? run->object->prot : PROT_READ,
                      piece.offset, locked);
  procmaps_free (&maps);
}

/* Move blocks [FIRST, LAST) of RUN from the staging area over the text.  Of
   the blocks in this range, either all are locked in memory, or none is.  */
static void
convert_move_blocks (struct work *work, struct run *run, size_t first,
                     size_t last)
{
  const uintptr_t block = procmaps_block ();
  uintptr_t to = run->start + first * block;
  size_t length = (last - first) * block;
  enum hugetext_reason why
      = remote_share (&work->remote, staged (run, first), length);
  if (why == HUGETEXT_NONE && block_of (run, first)->locked)
    why = remote_lock (&work->remote, staged (run, first), length);
  if (why != HUGETEXT_NONE)
    {
      say_why (run, first, last, why);
      return;
    }
  long result
      = remote_call (&work->remote, SYS_mremap, staged (run, first), length,
                     length, MREMAP_MAYMOVE | MREMAP_FIXED, to, 0);
  if (result == (long) to)
    {
      note_done (work, run, first, last);
      return;
    }
  say_why (run, first, last,
           result == -EPERM ? REASON_SEALED : REASON_NOT_MOVED);
  /* If the kernel had no memory for page tables, mremap may have removed the
     text before it failed.  */
  if (result == -ENOMEM || result == -EFAULT)
    fill_up (work, run, to, to + length, block_of (run, first)->locked);
}

/* Move the huge blocks of RUN from RUN's staging area over the text.  */
static void
move_all (struct work *work, struct run *run)
{
  for (size_t i = 0, end; i < run->count; i = end)
    {
      for (end = i + 1;
           end < run->count && run->huge[end] == run->huge[i]
           && block_of (run, end)->locked == block_of (run, i)->locked;)
        ++end;
      if (run->huge[i])
        convert_move_blocks (work, run, i, end);
    }
}

/* Leave the copies of RUN out of core dumps, except the blocks with an ELF
   header, because debuggers recognise an object by its header.  Call this
   function only after the copies of RUN have been moved over the text.  The
   function's madvise may split the mapping of the copies into two.  Before
   Linux 6.17, mremap cannot move two mappings at once: it removes the text at
   the new address, and then fails.  */
static void
keep_from_cores (struct work *work, const struct run *run)
{
  const uintptr_t block = procmaps_block ();
  for (size_t i = 0; i < run->count; ++i)
    {
      const uintptr_t start = run->start + i * block;
      if (block_of (run, i)->done
          && !hugetext_holds_header (&run->plan->elf.object, start,
                                     start + block))
        remote_call (&work->remote, SYS_madvise, start, block, MADV_DONTDUMP,
                     0, 0, 0);
    }
}

/* Remove from the record the blocks of RUN that were not replaced, so that
   --undo restores only replaced blocks.  Blocks for which the command has
   switched huge pages off stay in the record.  */
static void
forget_unmoved (struct work *work, const struct run *run)
{
  for (size_t i = 0; i < run->count; ++i)
    {
      const ssize_t noted
          = run->huge[i] && !block_of (run, i)->done ? changes_find (
                &work->remote.record, run->start + i * procmaps_block ())
                                                     : -1;
      if (noted >= 0 && !changes_is_split (&work->remote.record, noted))
        remote_forget (&work->remote, noted);
    }
}

/* Replace the text by the huge blocks of RUN.  Do not replace text that has
   changed since the plan was made.  */
static void
convert_replace_text (struct work *work, struct run *run)
{
  const enum hugetext_reason why
      = work->all->fresh ? HUGETEXT_NONE
                         : remote_freeze (&work->remote, work->tried);
  if (why != HUGETEXT_NONE)
    {
      say_why (run, 0, run->count, why);
      if (freeze_may_be_tried_again (why))
        work->late = why;
      return;
    }
  if (look_again (work, run))
    {
      move_all (work, run);
      forget_unmoved (work, run);
    }
  if (run->way == WAY_COPY)
    keep_from_cores (work, run);
  freeze_thaw (&work->remote.freeze);
}

/* Unmap what is left of RUN's staging area.  */
static void
unstage (struct work *work, const struct run *run)
{
  const uintptr_t block = procmaps_block ();
  if (run->staging != 0)
    remote_keep (&work->remote);
  for (size_t i = 0, end; run->staging != 0 && i < run->count; i = end)
    {
      end = i + 1;
      if (block_of (run, i)->done)
        continue;
      while (end < run->count && !block_of (run, end)->done)
        ++end;
      remote_call (&work->remote, SYS_munmap, staged (run, i),
                   (end - i) * block, 0, 0, 0, 0);
    }
}

/* Prepare the blocks of RUN in a staging area, and replace the text by these
   blocks in one stop of all threads.  */
static void
do_run (struct work *work, struct run *run)
{
  /* If an earlier run has found that the process has too many threads, or that
     its threads are too busy, do not stop the threads again.  */
  if (work->late != HUGETEXT_NONE)
    {
      say_why (run, 0, run->count, work->late);
      return;
    }
  settle (run);
  work->over = !remote_stop (&work->remote, &work->problem);
  if (work->over)
    return;
  if (run->way == WAY_INPLACE)
    {
      inplace_do (&work->remote, run->object, &run->plan->elf.object,
                  run->start, run->count, run->huge);
      convert_mark_done (work, run);
      remote_go (&work->remote);
      work->over = !remote_check (&work->remote, &work->problem);
      return;
    }
  enum hugetext_reason why = HUGETEXT_NONE;
  bool good = true;
  if (run->way == WAY_COPY)
    why = stage_copies (work, run);
  else
    good = stage_file (work, run);
  if (!remote_check (&work->remote, &work->problem))
    good = false;
  else
    say_why (run, 0, run->count, why);
  if (good && why == HUGETEXT_NONE)
    {
      for (size_t i = 0; i < run->count; ++i)
        if (!run->huge[i] && run->way == WAY_COPY)
          say_why (run, i, i + 1, run->small);
      convert_replace_text (work, run);
    }
  unstage (work, run);
  double took = remote_go (&work->remote);
  work->over = !remote_check (&work->remote, &work->problem);
  work->slow += took > STOP_MOST && !work->all->fresh;
  if (!work->over && work->slow == STOPS_MOST)
    work->over = !problem_set (&work->problem,
                               "the machine is overloaded, so stopping the "
                               "process takes too long; try again later");
  took /= run->count;
  double *estimate = &work->estimate[run->way];
  *estimate = took > *estimate ? took : (*estimate + took) / 2;
}

/* Return how many blocks the command can make huge by WAY in one stop of all
   threads.  */
static size_t
fitting (const struct work *work, enum way way)
{
  /* Plan for only half of the time limit for a stop, because delays may make
     the stop longer than the estimate.  */
  double n = work->deadline / 2 / work->estimate[way];
  return n < 1 ? 1 : n > RUN_MAX ? RUN_MAX : n;
}

/* Read the file's bytes for RUN, whose blocks are copies.  */
static bool
read_bytes (struct run *run)
{
  const uintptr_t block = procmaps_block ();
  run->bytes = aligned_alloc (block, run->count * block);
  if (run->bytes == NULL)
    say_why (run, 0, run->count, REASON_NO_MEMORY);
  for (size_t i = 0; run->bytes != NULL && i < run->count; ++i)
    if (!textmap_read (&run->plan->elf.object, run->object->fd,
                       run->start + i * block, run->bytes + i * block))
      {
        say_why (run, 0, run->count, REASON_FILE_UNREADABLE);
        return false;
      }
  return run->bytes != NULL;
}

/* Return how many more copies the process may have.  If the process may have
   no more copies, note the reason in WORK, and do not ask again.  */
static size_t
convert_count_copies_left (struct work *work)
{
  struct way_facts *facts = &work->facts;
  const size_t left
      = facts->no_copies == HUGETEXT_NONE ? convert_room (work->all) : 0;
  if (left == 0 && facts->no_copies == HUGETEXT_NONE)
    facts->no_copies = problem_is (&work->all->room) ? REASON_ROOM_UNKNOWN
                                                     : REASON_NO_COPIES;
  return left;
}

/* Make one run of successive blocks of OBJECT huge by the method WAY.  The run
   (struct run) begins with block FIRST.  Return the number of the block at
   which the next call should begin.  */
static size_t
next_run (struct work *work, size_t object, size_t first, enum way way)
{
  const uintptr_t block = procmaps_block ();
  struct run run = { .object = &work->all->objects[object],
                     .plan = &work->all->plans[object],
                     .first = first,
                     .way = way };
  const struct plan_block *blocks = run.plan->blocks;
  size_t most = fitting (work, way);
  if (way == WAY_COPY)
    most = hugetext_min (convert_count_copies_left (work), most);
  for (size_t i = first; i < run.plan->nblocks && run.count < most; ++i)
    {
      uint64_t offset;
      if (!run.object->blocks[i].wanted
          || blocks[i].start != blocks[first].start + run.count * block
          || !way_can_be_had (&work->facts, run.object, run.plan, i, way,
                              &offset)
          || (run.count > 0 && way != WAY_COPY
              && offset != run.offset + run.count * block))
        break;
      if (run.count == 0)
        run.offset = offset;
      ++run.count;
    }
  if (run.count == 0)
    return first + 1;
  run.start = blocks[first].start;
  if (way != WAY_COPY || read_bytes (&run))
    do_run (work, &run);
  free (run.bytes);
  return first + run.count;
}

bool
convert_is_late (const struct conversion *all)
{
  return thread_now () > all->end - END_TIME;
}

/* If too little time is left to begin a further step (convert_is_late), record
   in WORK that the time is used up, and return true.  */
static bool
convert_is_too_late (struct work *work)
{
  if (!convert_is_late (work->all))
    return false;
  work->facts.late = true;
  if (work->facts.no_copies == HUGETEXT_NONE)
    work->facts.no_copies = REASON_OUT_OF_TIME;
  return true;
}

/* Use the method WAY for each block that should become huge, in all
   objects.  */
static void
do_way (struct work *work, enum way way)
{
  struct conversion *all = work->all;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0, next; !work->over && k < all->plans[i].nblocks
                             && !convert_is_too_late (work);
         k = next)
      {
        struct convert_block *blocks = all->objects[i].blocks;
        next = blocks[k].wanted ? next_run (work, i, k, way) : k + 1;
        /* next_run sets WORK->over if the process cannot be changed any more.
           In this case, next_run may have stopped before it tried WAY for all
           blocks from K to NEXT.  */
        for (size_t n = k; n < next && !work->over; ++n)
          blocks[n].reached |= 1U << way;
      }
}

/* For each wanted block that is still on small pages, record the reason why
   the block cannot become huge.  */
static void
say_rest (struct work *work)
{
  struct conversion *all = work->all;
  const enum hugetext_choice choice
      = settings_value (&all->settings, SETTING_BACKING);
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        struct convert_block *block = &all->objects[i].blocks[k];
        const struct plan_block *planned = &all->plans[i].blocks[k];
        if (block->wanted && block->reason == HUGETEXT_NONE)
          block->reason = way_why_left (&work->facts, &all->objects[i],
                                        planned, block->reached);
        /* Clear the member WANTED of two kinds of blocks, because leaving them
           on small pages is no failure: cold blocks, and blocks that must stay
           mapped from the object's file so that /proc/PID/maps shows the
           object's name or path.  */
        block->wanted = (block->wanted && !hugetext_is_cold (planned->heat)
                         && !((planned->name || planned->last
                               || all->objects[i].needs_path)
                              && hugetext_may_copy (choice)));
      }
}

static bool
is_anything_wanted (const struct conversion *all)
{
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      if (all->objects[i].blocks[k].wanted)
        return true;
  return false;
}

bool
convert_do (struct conversion *all, struct tracee *tracee, double deadline,
            struct problem *problem)
{
  struct work work = { .all = all,
                       .deadline = deadline,
                       .estimate = { MAP_ESTIMATE, MAP_ESTIMATE, MAP_ESTIMATE,
                                     COPY_ESTIMATE } };
  if (!is_anything_wanted (all))
    return true;
  if (!remote_open_process (&work.remote, tracee, all, problem))
    return false;
  work.facts = (struct way_facts){ .all = all };
  for (; work.tried < REMOTE_TRIES
         && (work.tried == 0 || work.late != HUGETEXT_NONE);
       ++work.tried)
    {
      work.late = HUGETEXT_NONE;
      for (enum way way = 0; way < WAYS; ++way)
        {
          /* Check only now whether the process serves a filesystem, because
             this check takes a while and is seldom needed.  (WAY_INPLACE opens
             no file.)  */
          if (way != WAY_INPLACE && is_anything_wanted (all))
            work.facts.serves = remote_serves (&work.remote);
          if (way == WAY_COPY && work.tried == 0 && is_anything_wanted (all))
            work.facts.no_copies = way_judge_copies ();
          work.facts.trusting = all->fresh;
          do_way (&work, way);
          /* The page cache does not hold a block as a huge page, contrary to
             expectation.  From now on, query the page cache before mapping a
             block.  */
          work.facts.trusting = false;
          if (all->fresh && way == WAY_STORE)
            do_way (&work, way);
        }
    }
  work.facts.over = work.over;
  say_rest (&work);
  all->stops = work.remote.stops;
  remote_close (&work.remote);
  if (work.over)
    *problem = work.problem;
  return !work.over;
}
