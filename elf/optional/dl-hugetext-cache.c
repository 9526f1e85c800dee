/* The loader changes the page cache so that it holds text in huge pages.  To
   cache text in huge pages, the loader evicts blocks and reads them again, or
   lets the kernel collapse the small pages of the blocks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If a block is small although this start has read the block from the disk,
   some pages of the block were cached before.  When exec or the loader reads
   the ELF header, the kernel caches some small pages of the first block.  When
   the process first accesses an object's data, the kernel reads megabytes
   around the accessed page in small pages.  Because exec zeroes the end of
   .data, the last megabytes of text are read in small pages at every program
   start.  The loader evicts a block that was partly cached and reads it again.
   The loader does not evict a block that was completely cached before this
   start, because other processes use the block.  */

#include <sys/resource.h>

#include "dl-hugetext-cached.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Return how many page faults of the calling thread have waited for the disk
   so far.  */
static long int
cache_count_major_faults (void)
{
  struct rusage usage;
  return sys_failed (sys_thread_usage (&usage)) ? 0 : usage.ru_majflt;
}

/* Unmap the pages of [START, END) so that the kernel can evict them.  The
   pages map a file and are not writable, so the process loses nothing: the
   next access maps the pages again.  Do not unmap pages that may have
   breakpoints, because unmapping would remove the breakpoints.  */
static void
forget_pages (struct hugetext_state *state, uintptr_t start, uintptr_t end)
{
  if (_dl_hugetext_has_private (state, start, end) == HUGETEXT_NO)
    sys_madvise (start, end - start, MADV_DONTNEED);
}

void
_dl_hugetext_prepare_program (struct hugetext_state *state, uintptr_t headers)
{
  const struct hugetext_object *object = &state->object;
  if (_dl_hugetext_traced (state))
    return;
  /* When this start read the program headers, the kernel also mapped the pages
     around them.  Unmap all these pages, because while a process has a page
     mapped, the kernel cannot evict the page and read it again as a part of a
     huge page.  */
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (!s->write && s->fileend == s->end
          && headers - object->bias - s->start < s->end - s->start)
        forget_pages (state, s->start + object->bias, s->end + object->bias);
    }
  /* If the process has read at least one block's bytes from the disk, exec has
     probably read the program from the disk. ru_inblock counts units of 512
     bytes (getrusage(2)).  */
  struct rusage usage;
  state->attempt.exec_has_read
      = (_dl_hugetext_unfiltered (state)
         && !sys_failed (sys_thread_usage (&usage))
         && (uintptr_t) usage.ru_inblock >= state->set.geo.block / 512);
}

/* Use a system call to fault in three pages of the block at ADDRESS: the
   first, a middle one and the last.  If the file is shorter than its segments,
   process_vm_readv fails with an error, whereas a direct access would raise a
   signal.  If the kernel has no process_vm_readv (CONFIG_CROSS_MEMORY_ATTACH),
   try MADV_POPULATE_READ.  */
static void
touch_block (struct hugetext_state *state, uintptr_t address)
{
  const struct hugetext_geometry *geo = &state->set.geo;
  char byte[3];
  struct sys_vector local = { (uintptr_t) byte, sizeof byte };
  struct sys_vector remote[] = { { address, 1 },
                                 { address + geo->block / 2, 1 },
                                 { address + geo->block - geo->page, 1 } };
  if (sys_failed (
          sys_read_memory (_dl_hugetext_pid (state), &local, remote, 3)))
    sys_madvise (address, geo->page, MADV_POPULATE_READ);
}

/* Fault in the blocks of RUN that WHICH marks.  Begin with the last block,
   because the kernel's readahead after a block would cache the next block in
   small pages.  If the kernel read nothing from the disk for a block, because
   the block was cached, clear the block's mark in WHICH.  The loader counts
   reads from the disk, because mincore does not tell a process what is cached
   of a file to which the process may not write.  */
static void
touch_blocks (const struct hugetext_run *run, bool which[])
{
  long int before = cache_count_major_faults ();

  for (size_t i = run->nblocks; i-- > 0;)
    if (which[i])
      {
        touch_block (run->state, _dl_hugetext_staged (run, i));
        long int after = cache_count_major_faults ();
        which[i] = after > before;
        before = after;
      }
}

bool
_dl_hugetext_touch_counting (struct hugetext_run *run)
{
  /* The loader may evict blocks only if it may also make the system call that
     counts reads from the disk.  */
  bool count = _dl_hugetext_unfiltered (run->state);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->just_read[i] = count;
  if (count)
    touch_blocks (run, run->just_read);
  if (run->state->attempt.exec_has_read)
    for (size_t i = 0; i < run->nblocks; ++i)
      run->just_read[i] = true;
  return count;
}

/* Evict block I of RUN from the page cache, so that the kernel reads the block
   again as a huge page.  First unmap the pages of the block in this process,
   unless the pages may have breakpoints.  If another process has the block
   mapped, the block stays cached.  */
static void
evict (const struct hugetext_run *run, size_t i)
{
  uintptr_t block = run->state->set.geo.block;
  uintptr_t start = run->start + i * block;
  struct hugetext_piece piece;

  sys_madvise (_dl_hugetext_staged (run, i), block, MADV_DONTNEED);
  if (run->object != NULL)
    for (uintptr_t cursor = start;
         hugetext_next_piece (run->object, cursor, start + block, &piece);
         cursor = piece.end)
      if (!piece.segment->write)
        forget_pages (run->state, piece.start, piece.end);
  sys_evict (run->file, run->offset + i * block, block);
}

/* Evict two kinds of small blocks of RUN, and read them again: blocks that
   this start has read from the disk, and blocks of an image.  Return false if
   RUN has no small block that this start has read from the disk, and no small
   block of an image.  */
static bool
read_again (struct hugetext_run *run)
{
  bool which[HUGETEXT_RUN_MAX], any = false;
  for (size_t i = 0; i < run->nblocks; ++i)
    {
      which[i] = (hugetext_cache_step ((struct hugetext_cached){
                      .huge = run->huge[i], .spare = run->just_read[i] })
                  == HUGETEXT_CACHE_READ);
      if (which[i])
        evict (run, i);
      any |= which[i];
    }
  if (any)
    touch_blocks (run, which);
  return any;
}

/* Return true if the kernel is able and allowed to collapse cached pages of
   RUN's file into huge pages.  The loader asks the kernel anew for each file,
   because the answer depends on the filesystem.  From Linux 7.2 on, the kernel
   collapses pages of filesystems with large folios.  From 6.1 on, a kernel
   with CONFIG_READ_ONLY_THP_FOR_FS collapses pages on all filesystems, unless
   a process has the file open for writing.  Without
   CONFIG_READ_ONLY_THP_FOR_FS, kernels from 6.1 to 7.1 collapse pages only on
   tmpfs.  With CONFIG_READ_ONLY_THP_FOR_FS, the kernel drops all cached pages
   of a file that has collapsed pages, when a process opens the file for
   writing.  Changes that are not on the disk yet are then lost (do_dentry_open
   in fs/open.c; seen on 6.1).  Therefore the loader makes the kernel write the
   file to the disk before a collapse.  */
static bool
may_collapse (const struct hugetext_run *run)
{
  const bool own = run->way == HUGETEXT_WAY_FILE;
  /* Call MADV_COLLAPSE for a range of one small page.  The kernel collapses
     nothing in so short a range, but the call fails if the kernel cannot
     collapse pages of the file.  Make this call before reading the
     administrator's setting for huge pages: the call fails for most files on
     most kernels, and then the loader need not read the two files of the
     setting.  */
  if (own
      && (sys_failed (sys_madvise (run->staging, run->state->set.geo.page,
                                   MADV_COLLAPSE))
          || !_dl_hugetext_unfiltered (run->state)))
    return false;
  if (!_dl_hugetext_may_collapse (run->state))
    return false;
  if (!own)
    return true;
  long int result = sys_sync_data (run->file);
  /* A read-only filesystem may not support fdatasync, but it has no changes to
     write.  */
  return !sys_failed (result) || result == -EINVAL || result == -EROFS;
}

/* Make the kernel collapse block I of RUN into a huge page, and return whether
   the block is huge.  While the kernel is still reading pages of the block, it
   cannot collapse them.  If the collapse fails, wait until the kernel has read
   the pages, and try once more.  */
static bool
cache_collapse_block (const struct hugetext_run *run, size_t i)
{
  uintptr_t start = _dl_hugetext_staged (run, i);
  uintptr_t block = run->state->set.geo.block;
  return (!sys_failed (sys_collapse (start, block))
          || (run->way == HUGETEXT_WAY_FILE
              /* MADV_POPULATE_READ (from Linux 5.14 on) waits until the kernel
                 has read the pages.  */
              && !sys_failed (sys_madvise (start, block, MADV_POPULATE_READ))
              && !sys_failed (sys_collapse (start, block))));
}

void
_dl_hugetext_retry_file (struct hugetext_run *run)
{
  if (_dl_hugetext_unfiltered (run->state) && read_again (run)
      && _dl_hugetext_is_huge (run))
    return;
  const bool collapses = may_collapse (run);
  bool any = false;
  for (size_t i = 0; i < run->nblocks; ++i)
    if (hugetext_cache_step ((struct hugetext_cached){
            .huge = run->huge[i], .renewed = true, .collapses = collapses })
        == HUGETEXT_CACHE_COLLAPSE)
      any |= cache_collapse_block (run, i);
  if (any)
    _dl_hugetext_is_huge (run);
}
