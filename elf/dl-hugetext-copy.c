/* Replace text by a copy of itself on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Mechanism of the backings thp and hugetlb.  The copy is made in a staging
   area that is first readable and writable, then executable, and is moved
   over the text in one step, so that the text is never missing, never half
   copied, and no memory is ever writable and executable at once.  Whatever
   fails, the old text is still in place.

   Where memory that was writable may not become executable (PR_SET_MDWE,
   which systemd's MemoryDenyWriteExecute= sets) transparent huge pages are
   had from a memory file: written through one mapping, executed through
   another.  They cost more.  A block that begins with an ELF header is had
   from one, too: then the kernel puts its first page into cores, as it does
   for the file itself, where debuggers look for the build id.  */

#include <string.h>
#include <unistd.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* After this many blocks without a huge page the rest is not tried: each
   attempt may make the kernel compact memory, for milliseconds.  */
#define FAILURES_MAX 3

/* From <linux/mman.h>: log2 of the huge page size goes here.  */
#define HUGETLB_SIZE_SHIFT 26

/* A run of blocks being copied.  */
struct run
{
  struct hugetext_state *state;
  const struct hugetext_object *object;
  const struct hugetext_source *source;
  enum hugetext_backing backing;
  bool owned;
  bool in_file;                 /* Use a memory file.  */
  bool in_core;                 /* Leave it in cores.  */
  uintptr_t start;              /* Run-time address of the text.  */
  size_t nblocks;
  uintptr_t staging;            /* Where the copy is prepared.  */
  int memory_file;              /* Behind it, -1 if it is anonymous.  */
};

/* Read [START, END) of a file, to which text from run-time address START is
   mapped, into DESTINATION, which is zeroed.  OFFSET is that of START.  */
static bool
read_piece (int fd, uintptr_t start, uintptr_t end, uint64_t offset,
            uintptr_t destination, uintptr_t page)
{
  while (start < end)
    {
      long int n = sys_pread (fd, destination, end - start, offset);
      if (n == -EINTR)
        continue;
      if (sys_failed (n))
        return false;
      if (n == 0)
        /* The end of the file.  The rest of its last page reads as zeros,
           as it does when mapped; pages after it do not exist.  */
        return end - start < page && (start & (page - 1)) != 0;
      start += n;
      offset += n;
      destination += n;
    }
  return true;
}

/* Whether text at [START, END) is the same as its copy at COPY.  Read by a
   system call, which fails where an access would kill; under a filter, after
   one that does (from Linux 5.14 on).  */
static bool
is_unmodified (struct hugetext_state *state, uintptr_t start, uintptr_t end,
               uintptr_t copy)
{
  size_t length = end - start;
  if (_dl_hugetext_watch (state)->filtered)
    return (!sys_failed (sys_madvise (start, length, MADV_POPULATE_READ))
            && memcmp ((const void *) start, (const void *) copy, length)
               == 0);
  long int buffer = sys_mmap (0, length, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys_failed (buffer))
    return false;
  struct { uintptr_t base; size_t length; }
    local = { buffer, length }, remote = { start, length };
  bool same = (INTERNAL_SYSCALL_CALL (process_vm_readv, __getpid (), &local,
                                      1, &remote, 1, 0) == (long int) length
               && memcmp ((const void *) buffer, (const void *) copy, length)
                  == 0);
  sys_munmap (buffer, length);
  return same;
}

/* Whether all of the block at ADDRESS is resident.  After a single page of
   it was touched, that means that the kernel gave a huge page.  */
static bool
is_resident (const struct hugetext_geometry *geo, uintptr_t address)
{
  unsigned char vector[512];
  uintptr_t step = sizeof vector * geo->page;
  for (uintptr_t a = address; a < address + geo->block; a += step)
    {
      /* All at once where a block has 512 pages, as on x86-64.  */
      if (sys_failed (sys_mincore (a, step, vector)))
        return false;
      for (size_t i = 0; i < sizeof vector; ++i)
        if ((vector[i] & 1) == 0)
          return false;
    }
  return true;
}

/* Make sure that the block at STAGING, one page of which has been written,
   is a huge page.  */
static enum hugetext_outcome
ensure_huge (struct hugetext_state *state, uintptr_t staging)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  /* A filter may be without mincore, as the one for services of systemd is;
     then ask for what may be there already.  */
  if (!_dl_hugetext_watch (state)->filtered && is_resident (geo, staging))
    return HUGETEXT_MADE;
  /* A request to collapse would be granted even then.  */
  if (_dl_hugetext_thp_never ())
    return HUGETEXT_THP_NEVER;
  return (sys_failed (_dl_hugetext_collapse (geo, staging))
          ? HUGETEXT_NOT_HUGE : HUGETEXT_MADE);
}

/* Fill block number I of RUN's staging area.  The first access is always
   the kernel's, on our behalf: where a control group's limit would kill for
   a page fault, a system call merely fails.  */
static enum hugetext_outcome
fill_block (const struct run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  int fd = run->source->fd;
  uintptr_t address = run->start + i * geo->block;
  uintptr_t staging = run->staging + i * geo->block;
  uintptr_t delta = staging - address;
  struct hugetext_piece piece;
  bool checked = run->backing == HUGETEXT_HUGETLB;

  for (uintptr_t cursor = address;
       _dl_hugetext_next_piece (run->object, cursor, address + geo->block,
                                &piece);
       cursor = piece.end)
    {
      uintptr_t start = piece.start;
      if (!checked)
        {
          /* One page, to see what the fault gets.  */
          start += geo->page;
          if (!read_piece (fd, piece.start, start, piece.offset,
                           piece.start + delta, geo->page))
            return HUGETEXT_UNREADABLE;
          enum hugetext_outcome huge = ensure_huge (run->state, staging);
          if (huge != HUGETEXT_MADE)
            return huge;
          checked = true;
        }
      if (!read_piece (fd, start, piece.end,
                       piece.offset + (start - piece.start), start + delta,
                       geo->page))
        return HUGETEXT_UNREADABLE;
      if (run->source->verify
          && !is_unmodified (run->state, piece.start, piece.end,
                             piece.start + delta))
        return HUGETEXT_MODIFIED;
    }
  return HUGETEXT_MADE;
}

/* Map a memory file of LENGTH bytes as RUN's staging area, writable.  */
static long int
map_memory_file (struct run *run, size_t length)
{
  if (_dl_hugetext_watch (run->state)->filtered)
    return -EPERM;
  long int fd = INTERNAL_SYSCALL_CALL (memfd_create, "ld-hugetext",
                                       MFD_CLOEXEC);
  if (sys_failed (fd))
    return fd;
  long int result = INTERNAL_SYSCALL_CALL (ftruncate, fd, length);
  if (!sys_failed (result))
    result = _dl_hugetext_map_aligned (&run->state->set.geo, length,
                                       PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                                       0);
  if (sys_failed (result))
    sys_close (fd);
  else
    run->memory_file = fd;
  return result;
}

/* Turn RUN's staging area from writable to executable, with protection PROT.
   Returns an error or 0.  */
static long int
make_executable (struct run *run, uintptr_t from, size_t length, int prot)
{
  if (run->memory_file < 0)
    return sys_mprotect (from, length, prot);

  /* Through a new mapping: in place of the writable one, of which nothing
     remains.  Touched, so that it is huge from the beginning.  */
  long int result = sys_mmap (from, length, prot, MAP_PRIVATE | MAP_FIXED,
                              run->memory_file, from - run->staging);
  if (sys_failed (result))
    return result;
  for (size_t done = 0; done < length; done += run->state->set.geo.block)
    {
      char byte;
      struct { uintptr_t base; size_t length; }
        local = { (uintptr_t) &byte, 1 }, remote = { from + done, 1 };
      INTERNAL_SYSCALL_CALL (process_vm_readv, __getpid (), &local, 1,
                             &remote, 1, 0);
    }
  return 0;
}

/* Map RUN's staging area.  */
static enum hugetext_outcome
map_staging (struct run *run)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  size_t length = run->nblocks * geo->block;
  long int staging;

  if (run->backing == HUGETEXT_HUGETLB)
    {
      /* The kernel aligns it.  Without MAP_NORESERVE it says here if the
         pool is short; with it, a fault would kill.  */
      int size = __builtin_ctzl (geo->block) << HUGETLB_SIZE_SHIFT;
      staging = sys_mmap (0, length, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size,
                          -1, 0);
      if (sys_failed (staging))
        return HUGETEXT_POOL_SHORT;
    }
  else if (run->in_file)
    {
      staging = map_memory_file (run, length);
      if (sys_failed (staging))
        return HUGETEXT_PROTECT;
    }
  else
    {
      staging = _dl_hugetext_map_aligned (geo, length, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (sys_failed (staging))
        return HUGETEXT_NO_SPACE;
      if (sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE)))
        {
          /* A kernel without transparent huge pages.  */
          sys_munmap (staging, length);
          run->state->failures = FAILURES_MAX;
          return HUGETEXT_NOT_HUGE;
        }
    }
  run->staging = staging;
  return HUGETEXT_MADE;
}

/* Move blocks [FIRST, LAST) of RUN's staging area over the text.  */
static enum hugetext_outcome
move_blocks (struct run *run, size_t first, size_t last)
{
  uintptr_t block = run->state->set.geo.block;
  uintptr_t from = run->staging + first * block;
  uintptr_t to = run->start + first * block;
  size_t length = (last - first) * block;
  int prot = _dl_hugetext_text_prot (run->object, &run->state->set.geo, to);

  if (sys_failed (make_executable (run, from, length, prot)))
    return HUGETEXT_PROTECT;
  /* Cores hold a process's own data, and the file still has its text.  If
     refused, the core is larger.  */
  if (!run->in_core && !run->in_file)
    sys_madvise (from, length, MADV_DONTDUMP);
  return (_dl_hugetext_move (run->object, run->source, from, length, to)
          ? HUGETEXT_MADE : HUGETEXT_MOVE);
}

/* Whether blocks I and I + 1 of RUN need the same protection.  */
static bool
same_protection (const struct run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  uintptr_t address = run->start + i * geo->block;
  return (_dl_hugetext_text_prot (run->object, geo, address)
          == _dl_hugetext_text_prot (run->object, geo,
                                     address + geo->block));
}

/* Move all blocks of RUN that were filled, neighbours together.  */
static void
move_filled (struct run *run, enum hugetext_outcome outcome[])
{
  for (size_t first = 0, last; first < run->nblocks; first = last)
    {
      last = first + 1;
      if (outcome[first] != HUGETEXT_MADE)
        continue;
      while (last < run->nblocks && outcome[last] == HUGETEXT_MADE
             && same_protection (run, last - 1))
        ++last;
      enum hugetext_outcome moved = move_blocks (run, first, last);
      for (size_t i = first; i < last; ++i)
        outcome[i] = moved;
    }
}

/* Give back what is left of RUN's staging area, and the holes that were
   claimed for blocks that were not made.  Only what is still ours: other
   threads may map memory where a block was moved away.  */
static void
clean_up (const struct run *run, const enum hugetext_outcome outcome[])
{
  uintptr_t block = run->state->set.geo.block;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (outcome[i] != HUGETEXT_MADE)
      {
        uintptr_t address = run->start + i * block;
        sys_munmap (run->staging + i * block, block);
        if (!run->owned && outcome[i] != HUGETEXT_HOLE_TAKEN
            && outcome[i] != HUGETEXT_GAVE_UP)
          _dl_hugetext_release_holes (run->object, address, address + block);
      }
}

/* Copy RUN, whose staging area is mapped.  */
static void
copy_staged (struct run *run, enum hugetext_outcome outcome[])
{
  struct hugetext_state *state = run->state;

  for (size_t i = 0; i < run->nblocks; ++i)
    {
      uintptr_t address = run->start + i * state->set.geo.block;
      if (state->failures >= FAILURES_MAX)
        outcome[i] = HUGETEXT_GAVE_UP;
      else if (!run->owned
               && !_dl_hugetext_claim_holes (run->object, address,
                                             address + state->set.geo.block))
        outcome[i] = HUGETEXT_HOLE_TAKEN;
      else
        {
          outcome[i] = fill_block (run, i);
          if (outcome[i] == HUGETEXT_NOT_HUGE)
            ++state->failures;
          else if (outcome[i] == HUGETEXT_THP_NEVER)
            state->failures = FAILURES_MAX;
        }
    }
  move_filled (run, outcome);
  clean_up (run, outcome);
  if (run->memory_file >= 0)
    sys_close (run->memory_file);
}

/* Copy RUN.  */
static void
copy_run (struct run *run, enum hugetext_outcome outcome[])
{
  struct hugetext_state *state = run->state;
  enum hugetext_outcome mapped
    = state->failures < FAILURES_MAX ? map_staging (run) : HUGETEXT_GAVE_UP;

  if (mapped == HUGETEXT_MADE)
    copy_staged (run, outcome);
  else if (mapped == HUGETEXT_POOL_SHORT && run->nblocks > 1)
    {
      /* Perhaps the pool has enough for a part.  */
      struct run first = *run, second = *run;
      first.nblocks = run->nblocks / 2;
      second.nblocks -= first.nblocks;
      second.start += first.nblocks * state->set.geo.block;
      copy_run (&first, outcome);
      copy_run (&second, outcome + first.nblocks);
    }
  else
    {
      if (mapped == HUGETEXT_POOL_SHORT)
        /* Not a single page is left: do not ask again and again.  */
        state->failures = FAILURES_MAX;
      for (size_t i = 0; i < run->nblocks; ++i)
        outcome[i] = mapped;
    }
}

/* Whether some block of RUN ended like WHAT.  */
static bool
any_outcome (const struct run *run, const enum hugetext_outcome outcome[],
             enum hugetext_outcome what)
{
  for (size_t i = 0; i < run->nblocks; ++i)
    if (outcome[i] == what)
      return true;
  return false;
}

/* Copy RUN to transparent huge pages, of anonymous memory if that may become
   executable.  */
static void
copy_to_thp (struct run *run, enum hugetext_outcome outcome[])
{
  struct hugetext_state *state = run->state;

  run->in_file = state->no_anonymous_text;
  copy_run (run, outcome);
  if (run->in_file || !any_outcome (run, outcome, HUGETEXT_PROTECT))
    return;
  state->no_anonymous_text = true;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (outcome[i] != HUGETEXT_MADE)
      {
        struct run again = *run;
        again.in_file = true;
        again.start += i * state->set.geo.block;
        again.nblocks = 1;
        copy_run (&again, outcome + i);
      }
}

/* Copy the block RUN, which holds the ELF header, so that the header is in
   cores.  PROGRAM says that it is the program's, without which debuggers
   find none of the libraries.  */
static void
copy_headers (struct run *run, bool program, enum hugetext_outcome outcome[])
{
  const struct hugetext_object *object = run->object;
  if (object->segment[0].start + object->bias == run->start)
    {
      run->in_file = true;
      copy_run (run, outcome);
      if (*outcome == HUGETEXT_MADE)
        return;
      if (*outcome == HUGETEXT_NOT_HUGE)
        /* Before Linux 6.1 there are none of this kind; do not count it. */
        --run->state->failures;
    }
  /* Larger, but complete.  */
  run->in_core = program;
  copy_to_thp (run, outcome);
}

void
_dl_hugetext_copy (struct hugetext_state *state,
                   const struct hugetext_object *object,
                   const struct hugetext_source *source,
                   enum hugetext_backing backing, bool owned, bool program,
                   uintptr_t start, size_t nblocks,
                   enum hugetext_outcome outcome[])
{
  struct run run = { .state = state, .object = object, .source = source,
                     .backing = backing, .owned = owned, .start = start,
                     .nblocks = nblocks, .memory_file = -1 };
  if (backing == HUGETEXT_HUGETLB)
    {
      copy_run (&run, outcome);
      return;
    }

  /* If the header is in the run, it is in its first block.  */
  uintptr_t header = object->segment[0].start + object->bias;
  if (object->segment[0].offset == 0 && header >= start
      && header < start + state->set.geo.block)
    {
      struct run first = run;
      first.nblocks = 1;
      copy_headers (&first, program, outcome);
      run.start += state->set.geo.block;
      --run.nblocks;
      ++outcome;
    }
  if (run.nblocks > 0)
    copy_to_thp (&run, outcome);
}
