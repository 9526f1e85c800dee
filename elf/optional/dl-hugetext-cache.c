/* Changes of the page cache so that it holds text in huge pages: the loader
   reads blocks again or lets the kernel collapse them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A block that was just read and is small was partly cached before.  Reading
   the ELF header caches small pages.  So does each first access to the
   object's data, around which the kernel reads megabytes in small pages.  exec
   zeroes the end of .data, so at every program start the last megabytes of
   text become small.  The loader evicts such a block and reads it again.  The
   loader does not evict a block that was cached as a whole, because other
   processes use the block.  If the present start has read all of the block,
   the loader evicts it.  */

#include <sys/resource.h>

#include "dl-hugetext-cached.h"
#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Return the number of faults of the calling thread that waited for the
   disk.  */
static long int
major_faults (void)
{
  struct rusage usage;
  return sys_failed (sys_thread_usage (&usage)) ? 0 : usage.ru_majflt;
}

/* Unmap the pages of [START, END) so that the kernel can evict them.  The
   pages map a file and are not writable; the next access maps them again.
   Pages that may have breakpoints stay mapped, because unmapping removes
   breakpoints.  */
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
  /* The start has touched the pages with the program headers, and the kernel
     has mapped other pages of their segment.  While a process has pages
     mapped, the kernel cannot read them again as a huge page.  */
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (!s->write && s->fileend == s->end
          && headers - object->bias - s->start < s->end - s->start)
        forget_pages (state, s->start + object->bias, s->end + object->bias);
    }
  /* If the process has read at least a block, exec probably read the program
     from the disk.  ru_inblock counts units of 512 bytes, see
     getrusage(2).  */
  struct rusage usage;
  state->attempt.exec_has_read
      = (_dl_hugetext_unfiltered (state)
         && !sys_failed (sys_thread_usage (&usage))
         && (uintptr_t) usage.ru_inblock >= state->set.geo.block / 512);
}

/* Fault in the beginning, middle and end of the block at ADDRESS.  The
   accesses are system calls, because the file may be shorter than its
   segments.  A system call then fails, but an access of the process would
   raise a signal.  A kernel without process_vm_readv
   (CONFIG_CROSS_MEMORY_ATTACH) may have MADV_POPULATE_READ.  */
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

/* Fault in the blocks of RUN marked in WHICH, the last block first, because
   readahead for one block must not spoil the next.  Clear the marks of blocks
   that needed no read from the disk.  A process that may not write to a file
   learns only from such reads whether the file was cached.  */
static void
touch_blocks (const struct hugetext_run *run, bool which[])
{
  long int before = major_faults ();

  for (size_t i = run->nblocks; i-- > 0;)
    if (which[i])
      {
        touch_block (run->state, _dl_hugetext_staged (run, i));
        long int after = major_faults ();
        which[i] = after > before;
        before = after;
      }
}

bool
_dl_hugetext_touch_counting (struct hugetext_run *run)
{
  /* Where the loader cannot count reads from the disk, it also cannot read a
     block again.  */
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

/* Drop block I of RUN from the page cache, so that the kernel reads the block
   again as a huge page.  The block stays if another process has mapped it.
   First unmap this process's own mappings, unless they have breakpoints.  */
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

/* Evict the small blocks of RUN that this start has read or that belong to an
   image, and read them again.  Return false if there are no such blocks.  */
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

/* Whether the kernel may and can collapse pages of RUN's file.  The loader
   asks the kernel for each file.  From Linux 7.2 on, the kernel collapses
   pages where the filesystem has large folios.  From 6.1 on, a kernel with
   CONFIG_READ_ONLY_THP_FOR_FS collapses pages on all filesystems, unless a
   process has the file open for writing.  Without this option, kernels from
   6.1 to 7.1 collapse pages only on tmpfs.  With this option, opening a file
   with collapsed pages for writing drops all its cached pages, even changes
   that are not on the disk yet (do_dentry_open in fs/open.c; seen on 6.1).  So
   the loader writes the file to the disk first.  */
static bool
may_collapse (const struct hugetext_run *run)
{
  const bool own = run->way == HUGETEXT_WAY_FILE;
  /* For less than a huge page, the kernel checks the mapping and collapses
     nothing.  Few kernels collapse all files, so this comes before the
     question what the administrator allows, which reads two files.  */
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
  /* Read-only filesystems may not support the call.  */
  return !sys_failed (result) || result == -EINVAL || result == -EROFS;
}

/* Whether the kernel has collapsed block I of RUN into a huge page.  The
   kernel cannot collapse pages while it reads them; then wait for the pages
   and ask once more.  */
static bool
collapse (const struct hugetext_run *run, size_t i)
{
  uintptr_t start = _dl_hugetext_staged (run, i);
  uintptr_t block = run->state->set.geo.block;
  return (!sys_failed (sys_collapse (start, block))
          || (run->way == HUGETEXT_WAY_FILE
              /* Available from Linux 5.14 on.  */
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
      any |= collapse (run, i);
  if (any)
    _dl_hugetext_is_huge (run);
}
