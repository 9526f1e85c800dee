/* The second reading of text that a start has had cached in small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A block that has just been read and is small was cached in part before:
   reading the ELF header does that, and so does every first access to the
   object's data, around which the kernel reads megabytes in small pages. exec
   zeroes the end of .data, so that every program start loses the last
   megabytes of text that way.  The loader evicts such a block and reads it
   again.  A block that was cached as a whole is left alone, because others use
   it, unless this very start has read all of it.  */

#include <sys/resource.h>

#include "dl-hugetext-probe.h"
#include "dl-hugetext-reread.h"
#include "dl-hugetext-sys.h"

/* The number of faults of this thread that had to wait for the disk.  */
static long int
major_faults (void)
{
  struct rusage usage;
  return sys_failed (sys_thread_usage (&usage)) ? 0 : usage.ru_majflt;
}

/* Whether exec is likely to have read the program from the disk: this process
   has read a block at least.  */
static bool
exec_has_read (struct hugetext_attempt *attempt)
{
  /* exec has read the program: then the parts of the file that are cached in
     small pages are probably so because exec writes to .data, and the kernel
     reads around that address up to half of the disk's read_ahead_kb to each
     side, 64 KiB or some megabytes.  If the process has read something else,
     some of the file is read once more.  */
  struct rusage usage;
  /* ru_inblock counts units of 512 bytes, see getrusage(2).  */
  return (_dl_hugetext_can (attempt, HUGETEXT_CAN_COUNT_READS)
          && !sys_failed (sys_thread_usage (&usage))
          && (uintptr_t) usage.ru_inblock >= attempt->geo.block / 512);
}

/* Unmap the pages of [START, END), which are of a file and not writable, so
   that the kernel can evict them.  They come back at the next access;
   breakpoints would not, so pages with breakpoints stay mapped.  */
static void
forget_pages (struct hugetext_attempt *attempt, uintptr_t start, uintptr_t end)
{
  if (_dl_hugetext_has_private (attempt, start, end) != HUGETEXT_YES)
    sys_madvise (start, end - start, MADV_DONTNEED);
}

/* Unmap the pages of OBJECT that have been touched, which are its headers:
   while a process has them mapped, the kernel cannot read them again as a huge
   page.  */
static void
release_pages (struct hugetext_attempt *attempt,
               const struct hugetext_object *object)
{
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      if (!s->write && s->fileend == s->end)
        forget_pages (attempt, s->start + object->bias, s->end + object->bias);
    }
}

void
_dl_hugetext_prepare_program (struct hugetext_attempt *attempt,
                              const struct hugetext_object *object)
{
  release_pages (attempt, object);
  attempt->exec_has_read = exec_has_read (attempt);
}

/* Fault in the block at ADDRESS: its beginning, middle and end.  A system call
   makes the accesses, because it fails where an access of the process would
   raise a signal: the file may be shorter than its segments.  */
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

/* Fault in the blocks of RUN marked in WHICH, the last one first, because
   readahead for one must not spoil the next.  Unmark the blocks of which
   nothing had to be read: a process that may not write to a file learns only
   from reads whether the file was cached.  */
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
_dl_hugetext_touch_counting (struct hugetext_run *run)
{
  /* Without counting reads, the loader cannot read a block again either.  */
  bool count = _dl_hugetext_can (run->attempt, HUGETEXT_CAN_COUNT_READS);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->just_read[i] = count;
  if (count)
    touch_blocks (run, run->just_read);
  if (run->attempt->exec_has_read)
    for (size_t i = 0; i < run->nblocks; ++i)
      run->just_read[i] = true;
  return count;
}

/* Drop block I of RUN from the page cache, so that the kernel reads it again
   as a huge page.  Another process that has the block mapped prevents that;
   our own mappings go first, unless they have breakpoints.  */
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
        forget_pages (run->attempt, piece.start, piece.end);
  sys_evict (run->file, run->offset + i * block, block);
}

bool
_dl_hugetext_read_again (struct hugetext_run *run)
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
