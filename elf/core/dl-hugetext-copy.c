/* The backings "thp", "memfd" and "hugetlb": copies of text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The memory of a copy is first readable and writable, later readable and
   executable, but never writable and executable at the same time.  The first
   write to a block is done by a system call, not by the loader's own code.  If
   the hugetlb pool or the control group's limit is too small, the system call
   fails with an error, whereas a write by the loader's own code would make the
   kernel kill the process.  */

#include <string.h>

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* The bit of mmap's flags at which the binary logarithm of the huge page size
   begins, from <linux/mman.h>.  */
#define HUGETLB_SIZE_SHIFT 26

/* Map anonymous memory for the staging area of LENGTH bytes.  */
static long int
map_anonymous (const struct hugetext_geometry *geo, size_t length)
{
  return _dl_hugetext_map_aligned (geo, length, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Map anonymous memory as the staging area of the blocks of RUN.  */
static enum hugetext_reason
map_thp (struct hugetext_run *run)
{
  size_t length = run->nblocks * run->state->set.geo.block;
  long int staging = map_anonymous (&run->state->set.geo, length);
  if (sys_failed (staging))
    return (_dl_hugetext_may_ask_limits (run->state)
                    && !_dl_hugetext_limit_allows (RLIMIT_DATA, UINT64_MAX)
                ? HUGETEXT_DATA_LIMIT
                : HUGETEXT_NO_SPACE);
  if (sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE)))
    {
      /* The advice fails if the kernel has no transparent huge pages.  */
      sys_munmap (staging, length);
      return HUGETEXT_NOT_HUGE;
    }
  run->staging = staging;
  run->evidence
      = (_dl_hugetext_untouched (run->state, staging) ? HUGETEXT_ONE_TOUCH
                                                      : HUGETEXT_NO_EVIDENCE);
  return HUGETEXT_MADE;
}

/* Map pages of the hugetlb pool as the staging area of the blocks of RUN.  */
static enum hugetext_reason
map_hugetlb (struct hugetext_run *run)
{
  /* The kernel aligns a mapping of the hugetlb pool to huge pages.  Without
     MAP_NORESERVE, mmap fails if the hugetlb pool has too few pages.  With
     MAP_NORESERVE, mmap would succeed, and a later page fault would kill the
     process.  */
  uintptr_t block = run->state->set.geo.block;
  int size = __builtin_ctzl (block) << HUGETLB_SIZE_SHIFT;
  long int staging
      = sys_mmap (0, run->nblocks * block, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
  if (sys_failed (staging))
    return HUGETEXT_POOL_SHORT;
  run->staging = staging;
  return HUGETEXT_MADE;
}

/* Read the part of the file FD that is mapped at [START, END) into the zeroed
   memory at DESTINATION.  OFFSET is the file offset of START, and PAGE is the
   page size in bytes.  Return 0 or a negative error number; -EFAULT means that
   the kernel has no memory for DESTINATION.  */
static long int
read_piece (int fd, uintptr_t start, uintptr_t end, uint64_t offset,
            uintptr_t destination, uintptr_t page)
{
  while (start < end)
    {
      long int n = sys_pread (fd, destination, end - start, offset);
      if (n == -EINTR)
        continue;
      if (sys_failed (n))
        return n;
      if (n == 0)
        /* A read of 0 bytes means that the file ends here.  In the file's last
           page, the bytes beyond the end of the file stay zero, as in a
           mapping of the file.  A mapping of the file has no page wholly
           beyond the end of the file.  */
        return end - start < page && (start & (page - 1)) != 0 ? 0 : -EIO;
      start += n;
      offset += n;
      destination += n;
    }
  return 0;
}

/* Translate RESULT of read_piece into the outcome of the block. -EFAULT is not
   a fault of the file: the control group or the machine has no memory left for
   the block.  */
static enum hugetext_reason
reason_of_read (long int result)
{
  return (result == 0         ? HUGETEXT_MADE
          : result == -EFAULT ? HUGETEXT_NOT_HUGE
                              : HUGETEXT_UNREADABLE);
}

/* Make the kernel allocate the memory of block I in RUN's staging area: read
   the first page of the block's text from the file into the block.
   _dl_hugetext_fill reads the rest later.  */
static enum hugetext_reason
copy_touch_block (struct hugetext_run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  uintptr_t block = run->start + i * geo->block;
  struct hugetext_piece piece;
  if (!hugetext_next_piece (run->object, block, block + geo->block, &piece))
    return HUGETEXT_UNREADABLE;
  return reason_of_read (read_piece (
      run->source, piece.start, piece.start + geo->page, piece.offset,
      piece.start + run->staging - run->start, geo->page));
}

/* Ask the kernel to collapse the small blocks of RUN into huge pages.  */
static void
copy_collapse_blocks (struct hugetext_run *run)
{
  bool any = false;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (!run->huge[i] && run->outcome[i] == HUGETEXT_MADE)
      any |= !sys_failed (sys_collapse (_dl_hugetext_staged (run, i),
                                        run->state->set.geo.block));
  if (any)
    _dl_hugetext_is_huge (run);
}

/* Return true if another thread may fork before the blocks of RUN are filled.
   A forked child would share the blocks with this process.  When this process
   writes to a block that it shares with a child, the kernel splits the block's
   huge page.  During a program start there is no other thread that could
   fork.  */
static bool
may_fork (const struct hugetext_run *run)
{
  return !run->state->attempt.start;
}

enum hugetext_reason
_dl_hugetext_stage_copies (struct hugetext_run *run)
{
  const bool pool = run->way == HUGETEXT_WAY_HUGETLB;
  enum hugetext_reason small = HUGETEXT_NOT_HUGE;
  enum hugetext_reason mapped = (pool ? map_hugetlb (run)
                                 : run->way == HUGETEXT_WAY_MEMORY_FILE
                                     ? _dl_hugetext_map_memory_file (run)
                                     : map_thp (run));
  if (mapped != HUGETEXT_MADE)
    return mapped;

  if (may_fork (run))
    sys_madvise (run->staging, run->nblocks * run->state->set.geo.block,
                 MADV_DONTFORK);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->outcome[i] = copy_touch_block (run, i);
  /* A block from the hugetlb pool is huge as soon as a write to it has
     succeeded.  */
  if (pool)
    return HUGETEXT_MADE;
  if (!_dl_hugetext_is_huge (run))
    {
      /* MADV_COLLAPSE makes huge pages even if the administrator has switched
         huge pages off.  */
      if (_dl_hugetext_may_collapse (run->state))
        copy_collapse_blocks (run);
      else
        small = HUGETEXT_THP_OFF;
    }
  for (size_t i = 0; i < run->nblocks; ++i)
    if (run->outcome[i] == HUGETEXT_MADE && !run->huge[i])
      run->outcome[i] = small;
  return HUGETEXT_MADE;
}

/* Return true if the text at [START, END) equals the copy at COPY.  First make
   the kernel fault in the text, because an access by the loader's code might
   raise a signal.  Return false if the kernel cannot fault in the text (before
   Linux 5.14).  */
static bool
is_unmodified (uintptr_t start, uintptr_t end, uintptr_t copy)
{
  size_t length = end - start;
  return (!sys_failed (sys_madvise (start, length, MADV_POPULATE_READ))
          && memcmp ((const void *) start, (const void *) copy, length) == 0);
}

enum hugetext_reason
_dl_hugetext_fill (struct hugetext_run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  uintptr_t block = run->start + i * geo->block;
  uintptr_t delta = run->staging - run->start;
  struct hugetext_piece piece;
  long int result = 0;
  for (uintptr_t cursor = block;
       result == 0
       && hugetext_next_piece (run->object, cursor, block + geo->block,
                               &piece);
       cursor = piece.end)
    result = read_piece (run->source, piece.start, piece.end, piece.offset,
                         piece.start + delta, geo->page);
  return reason_of_read (result);
}

/* Return true if the text of block I of RUN in memory differs from the
   file.  */
static bool
is_modified (const struct hugetext_run *run, size_t i)
{
  const uintptr_t block = run->state->set.geo.block;
  const uintptr_t start = run->start + i * block;
  struct hugetext_piece piece;
  for (uintptr_t cursor = start;
       hugetext_next_piece (run->object, cursor, start + block, &piece);
       cursor = piece.end)
    {
      enum hugetext_answer private
          = _dl_hugetext_has_private (run->state, piece.start, piece.end);
      if (private == HUGETEXT_YES
          /* An auditor may have mapped another file over the text.  */
          || ((private == HUGETEXT_NOT_ASKED || GLRO (dl_naudit) > 0)
              && !is_unmodified (piece.start, piece.end,
                                 piece.start + run->staging - run->start)))
        return true;
    }
  return false;
}

void
_dl_hugetext_check_text (struct hugetext_run *run)
{
  const uintptr_t block = run->state->set.geo.block;
  size_t first = 0, end = run->nblocks;
  while (first < end && run->outcome[first] != HUGETEXT_MADE)
    ++first;
  while (first < end && run->outcome[end - 1] != HUGETEXT_MADE)
    --end;
  /* The loader fills a copy from the file.  If a debugger or the program has
     changed the text in memory, the copy would lose the changes.  If the text
     has a kernel breakpoint (uprobe), the copy would contain the breakpoint at
     an address that the kernel does not know, and the process would be killed
     when it reaches this address.  Usually one system call shows that the text
     of RUN (a run of blocks) is unchanged.  */
  if (first == end
      || (GLRO (dl_naudit) == 0
          && _dl_hugetext_scan_private (run->state, run->start + first * block,
                                        run->start + end * block)
                 == HUGETEXT_NO))
    return;
  for (size_t i = first; i < end; ++i)
    if (run->outcome[i] == HUGETEXT_MADE && is_modified (run, i))
      run->outcome[i] = HUGETEXT_MODIFIED;
}

enum hugetext_reason
_dl_hugetext_seal (struct hugetext_run *run, size_t first, size_t last)
{
  uintptr_t from = _dl_hugetext_staged (run, first);
  uintptr_t block = run->state->set.geo.block;
  size_t length = (last - first) * block;

  if (run->way == HUGETEXT_WAY_MEMORY_FILE)
    return _dl_hugetext_seal_memory_file (run, first, last);
  long int result = sys_mprotect (from, length, run->prot);
  if (sys_failed (result))
    {
      if (result == -EACCES || result == -EPERM)
        run->state->findings.anonymous_text = HUGETEXT_NO;
      return HUGETEXT_PROTECT;
    }
  /* Let child processes inherit the text of the blocks again.  */
  if (may_fork (run) && sys_failed (sys_madvise (from, length, MADV_DOFORK)))
    return HUGETEXT_NOT_PLACED;
  /* Leave copies out of core dumps, because the file still has the text.  Only
     the block with the program's ELF header has to be in core dumps.  If the
     kernel refuses MADV_DONTDUMP, core dumps are larger.  */
  if (!run->program
      || !hugetext_holds_header (run->object, run->start,
                                 run->start + run->nblocks * block))
    sys_madvise (from, length, MADV_DONTDUMP);
  return HUGETEXT_MADE;
}

/* Return true if RLIMIT_DATA leaves space for a copy of one block.  If
   RLIMIT_DATA is set, or the loader does not know whether it is set, try to
   map memory for one block, because the kernel does not report how much of the
   limit is used.  */
static bool
fits_data (struct hugetext_state *state)
{
  const size_t block = state->set.geo.block;
  if (_dl_hugetext_may_ask_limits (state)
          ? _dl_hugetext_limit_allows (RLIMIT_DATA, UINT64_MAX)
          : !state->attempt.little_data)
    return true;
  const long int mapped = map_anonymous (&state->set.geo, block);
  if (sys_failed (mapped))
    return false;
  sys_munmap (mapped, block);
  return true;
}

/* Return true if the process can get one more copy, as far as the loader can
   tell without making the copy.  */
static bool
copy_has_memory_left (struct hugetext_state *state)
{
  return (!_dl_hugetext_ask (state)->thp_disabled
          && _dl_hugetext_ledger_copies (&state->ledger, state->set.geo.block,
                                         state->scratch.text)
                 > 0
          && fits_data (state));
}

bool
_dl_hugetext_answer (struct hugetext_state *state,
                     struct hugetext_record *record, int *fd,
                     enum hugetext_fact fact)
{
  switch (fact)
    {
    case HUGETEXT_IS_TRACED:
      return _dl_hugetext_traced (state);
    case HUGETEXT_LOOKS_FOR_PATH:
      return (state->set.names != HUGETEXT_NAMES_NO
              && _dl_hugetext_looks_for_path (state, record, fd));
    case HUGETEXT_MAY_COLLAPSE:
      return _dl_hugetext_may_collapse (state);
    case HUGETEXT_MAY_ANONYMOUS:
      return _dl_hugetext_may_anonymous (state);
    case HUGETEXT_MAY_MEMORY_FILE:
      return _dl_hugetext_may_memory_file (state);
    case HUGETEXT_HAS_ROOM:
      return copy_has_memory_left (state);
    default:
      return false;
    }
}
