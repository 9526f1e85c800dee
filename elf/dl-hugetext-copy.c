/* The backings thp, memory file and hugetlb: copies of text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A copy is made in memory that is first readable and writable, then
   executable, never both.

   Where memory that was writable may not become executable (PR_SET_MDWE, which
   systemd's MemoryDenyWriteExecute= sets), the transparent huge pages are
   those of a memory file: the loader writes through one mapping and executes
   through another.  These pages cost more.  A block that begins with an ELF
   header is made of a memory file, too: the kernel then puts its first page
   into cores, as it does for the file itself, and debuggers look for the build
   ID there.

   The kernel makes the first access to a block, in a system call of the
   loader: where the pool or the pool's control group is short, the call fails,
   and no process is killed.  */

#include "dl-hugetext-limits.h"
#include "dl-hugetext-probe.h"
#include "dl-hugetext-space.h"
#include "dl-hugetext-stage.h"
#include "dl-hugetext-sys.h"

/* The flag's position for log2 of the huge page size, from <linux/mman.h>.  */
#define HUGETLB_SIZE_SHIFT 26

/* Read the part of a file that is mapped at [START, END) into DESTINATION,
   which is zeroed.  OFFSET is START's offset in the file.  */
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
        /* At the end of the file, the rest of its last page reads as zeros, as
           in a mapping; pages behind it do not exist.  */
        return end - start < page && (start & (page - 1)) != 0;
      start += n;
      offset += n;
      destination += n;
    }
  return true;
}

/* Write the first page of each block of RUN that has contents of the file.  */
static void
touch_copy (struct hugetext_run *run)
{
  const struct hugetext_geometry *geo = &run->attempt->geo;
  uintptr_t delta = run->staging - run->start;
  struct hugetext_piece piece;

  for (size_t i = 0; i < run->nblocks; ++i)
    {
      uintptr_t block = run->start + i * geo->block;
      if (!hugetext_next_piece (run->object, block, block + geo->block, &piece)
          || !read_piece (run->source, piece.start, piece.start + geo->page,
                          piece.offset, piece.start + delta, geo->page))
        run->outcome[i] = HUGETEXT_UNREADABLE;
    }
}

static enum hugetext_outcome
fill_copy (struct hugetext_run *run, size_t i)
{
  const struct hugetext_geometry *geo = &run->attempt->geo;
  uintptr_t block = run->start + i * geo->block;
  uintptr_t delta = run->staging - run->start;
  struct hugetext_piece piece;

  for (uintptr_t cursor = block;
       hugetext_next_piece (run->object, cursor, block + geo->block, &piece);
       cursor = piece.end)
    {
      /* A copy loses changes that are in memory only, and the kernel's
         breakpoints, copied along, would kill the process: the kernel does not
         know them at the new address.  */
      enum hugetext_answer private
          = _dl_hugetext_has_private (run->attempt, piece.start, piece.end);
      if (private == HUGETEXT_YES)
        return HUGETEXT_MODIFIED;
      if (!read_piece (run->source, piece.start, piece.end, piece.offset,
                       piece.start + delta, geo->page))
        return HUGETEXT_UNREADABLE;
      if (private == HUGETEXT_NOT_ASKED
          && !_dl_hugetext_is_unmodified (run->attempt, piece.start, piece.end,
                                          piece.start + delta))
        return HUGETEXT_MODIFIED;
    }
  return HUGETEXT_MADE;
}

/* Ask the kernel to gather the small blocks of RUN into huge pages, once.  */
static bool
collapse_copy (struct hugetext_run *run, unsigned int *way)
{
  bool any = false;
  if ((*way)++ > 0)
    return false;
  /* The kernel would gather pages even where the administrator has switched
     huge pages off.  */
  bool may = _dl_hugetext_may_collapse (run->attempt);
  for (size_t i = 0; i < run->nblocks; ++i)
    if (run->huge[i] || run->outcome[i] != HUGETEXT_MADE)
      continue;
    else if (!may)
      run->outcome[i] = HUGETEXT_THP_OFF;
    else
      any |= !sys_failed (sys_collapse (_dl_hugetext_staged (run, i),
                                        run->attempt->geo.block));
  return any;
}

/* Transparent huge pages of anonymous memory.  */

static enum hugetext_outcome
map_thp (struct hugetext_run *run)
{
  size_t length = run->nblocks * run->attempt->geo.block;
  long int staging = _dl_hugetext_map_aligned (
      &run->attempt->geo, length, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys_failed (staging))
    return (_dl_hugetext_may_ask_limits (run->attempt)
                    && _dl_hugetext_data_limited ()
                ? HUGETEXT_DATA_LIMIT
                : HUGETEXT_NO_SPACE);
  if (sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE)))
    {
      /* The kernel has no transparent huge pages.  */
      sys_munmap (staging, length);
      return HUGETEXT_NOT_HUGE;
    }
  run->staging = staging;
  run->untouched = _dl_hugetext_untouched (run->attempt, staging);
  return HUGETEXT_MADE;
}

/* Make blocks [FIRST, LAST) of anonymous memory executable.  */
static enum hugetext_outcome
seal_anonymous (struct hugetext_run *run, size_t first, size_t last)
{
  uintptr_t from = _dl_hugetext_staged (run, first);
  size_t length = (last - first) * run->attempt->geo.block;

  long int result = sys_mprotect (from, length, run->prot);
  if (sys_failed (result))
    {
      if (result == -EACCES || result == -EPERM)
        _dl_hugetext_refused (run->attempt, HUGETEXT_CAN_ANONYMOUS_TEXT);
      return HUGETEXT_PROTECT;
    }
  /* Leave the copy out of cores, unless cores contain text: cores hold a
     process's own data, and the file still has the text.  If the kernel
     refuses the advice, the core is larger.  */
  if (!run->whole_core && !_dl_hugetext_text_in_cores (run->attempt))
    sys_madvise (from, length, MADV_DONTDUMP);
  return HUGETEXT_MADE;
}

/* Functions that all copies share.  */
static void
row_copy (struct hugetext_backing *backing, enum hugetext_way way)
{
  *backing = (struct hugetext_backing){ .way = way,
                                        .charged = true,
                                        .if_small = HUGETEXT_NOT_HUGE };
  backing->touch = touch_copy;
  backing->retry = collapse_copy;
  backing->fill = fill_copy;
  backing->seal = seal_anonymous;
}

void
_dl_hugetext_thp (struct hugetext_backing *backing)
{
  row_copy (backing, HUGETEXT_WAY_THP);
  backing->map = map_thp;
}

/* Map the staging area of RUN from a new memory file.  */

static enum hugetext_outcome
map_memory_file (struct hugetext_run *run)
{
  size_t length = run->nblocks * run->attempt->geo.block;
  if (!_dl_hugetext_may_make_file (length))
    return HUGETEXT_SIZE_LIMIT;
  long int fd = sys_memory_file (HUGETEXT_MEMORY_FILE, length);
  if (sys_failed (fd))
    return HUGETEXT_NO_SPACE;
  long int staging = _dl_hugetext_map_aligned (
      &run->attempt->geo, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (sys_failed (staging))
    {
      sys_close (fd);
      return HUGETEXT_NO_SPACE;
    }
  run->staging = staging;
  run->memory_file = fd;
  return HUGETEXT_MADE;
}

/* Make blocks [FIRST, LAST) executable by a new mapping in place of the
   writable one, of which nothing remains.  Touch it, so that it is huge from
   the beginning.  */
static enum hugetext_outcome
seal_memory_file (struct hugetext_run *run, size_t first, size_t last)
{
  uintptr_t from = _dl_hugetext_staged (run, first);
  size_t block = run->attempt->geo.block;
  long int result
      = sys_mmap (from, (last - first) * block, run->prot,
                  MAP_PRIVATE | MAP_FIXED, run->memory_file, first * block);
  if (sys_failed (result))
    {
      if (result == -EACCES || result == -EPERM)
        _dl_hugetext_refused (run->attempt, HUGETEXT_CAN_FILE_TEXT);
      return HUGETEXT_PROTECT;
    }
  bool untouched = _dl_hugetext_untouched (run->attempt, from);
  for (size_t i = first; i < last; ++i)
    {
      char byte;
      struct sys_vector local = { (uintptr_t) &byte, 1 };
      struct sys_vector remote = { _dl_hugetext_staged (run, i), 1 };
      sys_read_memory (&local, &remote, 1);
    }
  return (_dl_hugetext_probe (run->attempt, from, last - first, untouched,
                              true, run->huge + first)
                  == last - first
              ? HUGETEXT_MADE
              : HUGETEXT_NOT_HUGE);
}

void
_dl_hugetext_memory_file (struct hugetext_backing *backing)
{
  row_copy (backing, HUGETEXT_WAY_MEMORY_FILE);
  backing->map = map_memory_file;
  backing->seal = seal_memory_file;
}

/* Pages of the hugetlb pool.  */

static enum hugetext_outcome
map_hugetlb (struct hugetext_run *run)
{
  /* The kernel aligns the mapping.  Without MAP_NORESERVE the kernel refuses
     here if the pool is short; with that flag a fault would kill the
     process.  */
  uintptr_t block = run->attempt->geo.block;
  int size = __builtin_ctzl (block) << HUGETLB_SIZE_SHIFT;
  long int staging
      = sys_mmap (0, run->nblocks * block, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
  if (sys_failed (staging))
    return HUGETEXT_POOL_SHORT;
  run->staging = staging;
  /* A present page of the pool is huge.  */
  run->untouched = true;
  return HUGETEXT_MADE;
}

/* Return false: a page of the pool is huge or missing, and no retry helps.  */
static bool
retry_hugetlb (struct hugetext_run *run, unsigned int *way)
{
  return false;
}

void
_dl_hugetext_hugetlb (struct hugetext_backing *backing)
{
  row_copy (backing, HUGETEXT_WAY_HUGETLB);
  backing->charged = false;
  backing->if_small = HUGETEXT_POOL_SHORT;
  backing->map = map_hugetlb;
  backing->retry = retry_hugetlb;
}
