/* Back text with huge pages of the object's own file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The backing file, and all that is known of the page cache.  Nothing is
   copied: the page cache holds the huge pages and all processes share them.
   Whether it does is up to the filesystem and to how the file came to be
   cached.

   A block that has just been read, and is small, was cached in part: reading
   the ELF header does that, and every first access to the object's data,
   around which the kernel reads megabytes in small pages.  Since zeroing the
   end of .data is part of exec, the last megabytes of text are lost in every
   program start.  Such a block is evicted and read again.  One that was
   cached as a whole is left alone: others use it, unless it was this very
   start that has read all of it.  */

#include <sys/resource.h>
#include <sys/stat.h>

#include "dl-hugetext-backing.h"
#include "dl-hugetext-file.h"
#include "dl-hugetext-probe.h"
#include "dl-hugetext-space.h"
#include "dl-hugetext-stage.h"
#include "dl-hugetext-sys.h"

/* The number of faults of this thread that had to wait for the disk.  */
static long int
major_faults (void)
{
  struct rusage usage;
  return sys_failed (sys_thread_usage (&usage)) ? 0 : usage.ru_majflt;
}

bool
_dl_hugetext_exec_has_read (struct hugetext_attempt *attempt)
{
  /* Then what of the file is cached in small pages is probably so only
     because of that: exec writes to .data, and the kernel reads around it up
     to half of the disk's read_ahead_kb to each side, 64 KiB or some
     megabytes.  If it was something else that the process has read, some of
     the file is read once more.  */
  struct rusage usage;
  /* In units of 512 bytes, see getrusage(2).  */
  return (_dl_hugetext_can (attempt, HUGETEXT_CAN_COUNT_READS)
          && !sys_failed (sys_thread_usage (&usage))
          && (uintptr_t) usage.ru_inblock >= attempt->geo.block / 512);
}

void
_dl_hugetext_forget_pages (struct hugetext_attempt *attempt, uintptr_t start,
                           uintptr_t end)
{
  if (_dl_hugetext_has_private (attempt, start, end) != HUGETEXT_YES)
    sys_madvise (start, end - start, MADV_DONTNEED);
}

enum hugetext_outcome
_dl_hugetext_map_file (struct hugetext_run *run, uint64_t size)
{
  const struct hugetext_geometry *geo = &run->attempt->geo;
  uint64_t end = (size + geo->page - 1) & -(uint64_t) geo->page;
  size_t fit = end > run->offset ? (end - run->offset) / geo->block : 0;
  if (run->nblocks > fit)
    run->nblocks = fit;
  if (fit == 0)
    return HUGETEXT_FILE_SMALL;

  size_t length = run->nblocks * geo->block;
  long int staging = _dl_hugetext_map_aligned (
      geo, length, run->prot, MAP_PRIVATE, run->file, run->offset);
  if (sys_failed (staging))
    return HUGETEXT_NO_SPACE;
  run->staging = staging;
  run->untouched = _dl_hugetext_untouched (run->attempt, staging);
  /* With the second advice the kernel reads just the block that is touched.
     Otherwise it reads on in the background, in small pages.  */
  if (sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE))
      || sys_failed (sys_madvise (staging, length, MADV_RANDOM)))
    {
      sys_munmap (staging, length);
      return HUGETEXT_FILE_SMALL;
    }
  return HUGETEXT_MADE;
}

/* Map RUN from the object's own file.  */
static enum hugetext_outcome
map_own_file (struct hugetext_run *run)
{
  struct stat64 status;
  if (__fstat64 (run->file, &status) != 0)
    return HUGETEXT_UNREADABLE;
  return _dl_hugetext_map_file (run, status.st_size);
}

/* Fault in the block at ADDRESS: its beginning, middle and end.  By a system
   call, which fails where an access would kill: the file may be shorter than
   its segments.  */
static void
touch_block (const struct hugetext_geometry *geo, uintptr_t address)
{
  char byte[3];
  struct sys_vector local = { (uintptr_t) byte, sizeof byte };
  struct sys_vector remote[] = { { address, 1 },
                                 { address + geo->block / 2, 1 },
                                 { address + geo->block - geo->page, 1 } };
  sys_read_memory (&local, remote, 3);
}

/* Fault in the blocks of RUN marked in WHICH, the last one first: readahead
   for one must not spoil the next.  Unmark those of which nothing had to be
   read: only that tells whether a file was cached to those who may not write
   to it.  */
static void
touch_blocks (const struct hugetext_run *run, bool which[])
{
  long int before = major_faults ();

  for (size_t i = run->nblocks; i-- > 0;)
    if (which[i])
      {
        touch_block (&run->attempt->geo, _dl_hugetext_staged (run, i));
        long int after = major_faults ();
        which[i] = after > before;
        before = after;
      }
}

bool
_dl_hugetext_touch_once (const struct hugetext_run *run)
{
  for (size_t i = run->nblocks; i-- > 0;)
    if (sys_failed (sys_madvise (_dl_hugetext_staged (run, i),
                                 run->attempt->geo.page, MADV_POPULATE_READ)))
      return false;
  return true;
}

void
_dl_hugetext_touch_file (struct hugetext_run *run)
{
  /* Where reads cannot be counted nothing can be read again, either.  */
  bool count = _dl_hugetext_can (run->attempt, HUGETEXT_CAN_COUNT_READS);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->just_read[i] = count;
  if (count)
    touch_blocks (run, run->just_read);
  else
    _dl_hugetext_touch_once (run);
  if (run->attempt->exec_has_read)
    for (size_t i = 0; i < run->nblocks; ++i)
      run->just_read[i] = true;
}

/* Drop block I of RUN from the page cache, so that it can be read again as a
   huge page.  That works unless somebody else has it mapped; our own mappings
   go first, unless there are breakpoints in them.  */
static void
evict (const struct hugetext_run *run, size_t i)
{
  uintptr_t block = run->attempt->geo.block;
  uintptr_t start = run->start + i * block;
  struct hugetext_piece piece;

  sys_madvise (_dl_hugetext_staged (run, i), block, MADV_DONTNEED);
  if (run->object != NULL)
    for (uintptr_t cursor = start;
         hugetext_next_piece (run->object, cursor, start + block, &piece);
         cursor = piece.end)
      if (!piece.segment->write)
        _dl_hugetext_forget_pages (run->attempt, piece.start, piece.end);
  sys_evict (run->file, run->offset + i * block, block);
}

/* Evict the blocks of RUN that are small because of this start, and read
   them again.  False if there are none.  */
static bool
read_again (struct hugetext_run *run)
{
  bool which[HUGETEXT_RUN_MAX], any = false;

  if (!_dl_hugetext_can (run->attempt, HUGETEXT_CAN_EVICT))
    return false;
  for (size_t i = 0; i < run->nblocks; ++i)
    {
      which[i] = run->just_read[i] && !run->huge[i];
      if (which[i])
        evict (run, i);
      any |= which[i];
    }
  if (any)
    touch_blocks (run, which);
  return any;
}

/* Whether the kernel may gather pages of RUN's file.  It is asked for each
   file: from 7.2 on it does so where the filesystem has large folios, from 6.1
   on, if it was built with CONFIG_READ_ONLY_THP_FOR_FS, on all filesystems
   unless somebody has the file open for writing, otherwise on tmpfs only.

   With that option, opening a file that has such pages for writing drops all
   that is cached of it, also what was written elsewhere in it and is not on
   the disk yet (do_dentry_open in fs/open.c; seen on 6.1).  Who has it written
   to the disk before loses nothing.  */
static bool
may_gather (struct hugetext_run *run)
{
  struct hugetext_attempt *attempt = run->attempt;
  if (run->file != run->source)
    return _dl_hugetext_may_collapse (attempt);
  if (!sys_may_collapse (run->staging, attempt->geo.page))
    return false;
  if (_dl_hugetext_kernel_is (7, 2))
    return true;
  if (!_dl_hugetext_can (attempt, HUGETEXT_CAN_SYNC))
    return false;
  long int result = sys_sync (run->file);
  /* Filesystems that are never written to may not know the call.  */
  return !sys_failed (result) || result == -EINVAL || result == -EROFS;
}

/* Whether block I of RUN can be gathered into a huge page.  What is still
   being read from the disk cannot; then wait for it once, and ask again.  */
static bool
gather (const struct hugetext_run *run, size_t i)
{
  uintptr_t start = _dl_hugetext_staged (run, i);
  uintptr_t block = run->attempt->geo.block;
  return (!sys_failed (sys_collapse (start, block))
          || (run->file == run->source
              /* From Linux 5.14 on.  */
              && !sys_failed (sys_madvise (start, block, MADV_POPULATE_READ))
              && !sys_failed (sys_collapse (start, block))));
}

/* Ask the kernel to gather the small blocks of RUN into huge pages.  */
static bool
collapse_file (struct hugetext_run *run)
{
  bool any = false;
  if (!may_gather (run))
    return false;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (!run->huge[i])
      any |= gather (run, i);
  return any;
}

bool
_dl_hugetext_retry_file (struct hugetext_run *run, unsigned int *way)
{
  if (*way == 0)
    {
      *way = 1;
      if (read_again (run))
        return true;
    }
  if (*way == 1)
    {
      *way = 2;
      return collapse_file (run);
    }
  return false;
}

void
_dl_hugetext_file (struct hugetext_backing *backing)
{
  *backing = (struct hugetext_backing){ .way = HUGETEXT_WAY_FILE,
                                        .if_small = HUGETEXT_FILE_SMALL };
  backing->map = map_own_file;
  backing->touch = _dl_hugetext_touch_file;
  backing->retry = _dl_hugetext_retry_file;
}

size_t
_dl_hugetext_cache_huge (struct hugetext_attempt *attempt, int fd,
                         uint64_t offset, size_t nblocks)
{
  struct hugetext_run run = { .attempt = attempt,
                              .source = fd,
                              .nblocks = nblocks,
                              .prot = PROT_READ | PROT_EXEC,
                              .file = fd,
                              .offset = offset };
  size_t n = 0;

  struct hugetext_backing backing;
  _dl_hugetext_file (&backing);
  if (!_dl_hugetext_stage (&run, &backing))
    return 0;
  sys_munmap (run.staging, run.nblocks * attempt->geo.block);
  for (size_t i = 0; i < run.nblocks; ++i)
    n += run.huge[i];
  return n;
}
