/* Make an image of an object's text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each block is written with one system call, at a multiple of its size, so
   that a filesystem with large folios caches the block as a huge page
   immediately, even without madvise.  */

#include "image/make.h"
#include "image/public.h"
#include "object/elfask.h"
#include "object/textmap.h"
#include "trust/identity.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

bool
image_plan (const struct plan *plan, struct image_note *note)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  uintptr_t first = 0;
  *note = (struct image_note){ .block = geo.block, .offset = geo.block };
  for (size_t i = 0; i < plan->nblocks; ++i)
    {
      const struct plan_block *block = &plan->blocks[i];
      if (block->verdict != HUGETEXT_TAKE)
        continue;
      if (note->blocks == 0)
        first = block->start;
      size_t n = (block->start - first) / geo.block;
      if (n >= HUGETEXT_IMAGE_BLOCKS)
        break;
      note->has[n / 64] |= (uint64_t) 1 << n % 64;
      ++note->blocks;
    }
  note->first = first - plan->elf.object.bias;
  note->digest = hugetext_object_digest (&plan->elf.object);
  return note->blocks > 0;
}

/* An arbitrary load bias.  With this load bias, run-time addresses are
   positive even if the first block begins below the object's address 0.  */
#define SOMEWHERE ((uintptr_t) 1 << 40)

/* The data from which the command makes an image, and buffers for two
   blocks.  */
struct job
{
  int out, fd;
  const struct image_note *note;
  struct hugetext_object object;
  char *buffer, *other;
};

/* Write JOB's buffer to OFFSET of the image.  */
static bool
write_block (const struct job *job, uint64_t offset, struct problem *problem)
{
  return rewrite_at (job->out, job->buffer, job->note->block, offset)
         || problem_errno (problem, "the image cannot be written");
}

/* Compare JOB's buffer with the bytes at OFFSET of the image.  */
static bool
compare_block (const struct job *job, uint64_t offset, struct problem *problem)
{
  const size_t size = job->note->block;
  if (pread (job->out, job->other, size, offset) != (ssize_t) size)
    return problem_set (problem, "the image cannot be read");
  return memcmp (job->buffer, job->other, size) == 0
         || problem_set (problem,
                         "the image and the file have different bytes");
}

/* For each block of JOB's image, read the object's bytes into the buffer, and
   call FUNCTION with the block's offset in the image.  */
static bool
each_block (const struct job *job,
            bool (*function) (const struct job *, uint64_t, struct problem *),
            struct problem *problem)
{
  const struct image_note *note = job->note;
  bool good = true;
  for (size_t i = 0; i < image_span (note) && good; ++i)
    if (!image_has (note, i))
      continue;
    else if (!textmap_read (&job->object, job->fd,
                            note->first + i * note->block + job->object.bias,
                            job->buffer))
      good = problem_errno (problem, "the object's file cannot be read");
    else
      good = function (job, note->offset + i * note->block, problem);
  return good;
}

/* If WRITE is true, first write JOB's image.  After writing, compare the
   image with the object.  */
static bool
do_job (struct job *job, bool write, struct problem *problem)
{
  size_t block = job->note->block;
  job->object.bias = SOMEWHERE;
  job->buffer = aligned_alloc (block, block);
  job->other = aligned_alloc (block, block);
  const bool good = job->buffer == NULL || job->other == NULL
                        ? problem_system (problem, ENOMEM)
                        : (!write || each_block (job, write_block, problem))
                              && each_block (job, compare_block, problem);
  free (job->buffer);
  free (job->other);
  return good;
}

/* If the file is on tmpfs, free the memory before and after the blocks that
   NOTE describes, except the memory for ELFPARTS.  On tmpfs with huge=always
   (or within_size), the ranges before and after the blocks also have huge
   pages, which are mostly empty.  On filesystems other than tmpfs, ranges of a
   file that were never written use no memory, so do nothing.  */
static bool
image_make_trim_file (int out, const struct image_note *note,
                      const struct image_elfparts *elfparts)
{
  const uint64_t page = getpagesize ();
  const uint64_t head = (elfparts->head_size + page - 1) & -page;
  struct statfs filesystem;
  if (fstatfs (out, &filesystem) != 0 || filesystem.f_type != TMPFS_MAGIC)
    return true;
  return ((head >= note->offset
           || fallocate (out, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, head,
                         note->offset - head)
                  == 0)
          && ftruncate (out, note->size) == 0);
}

/* Write ELFPARTS to the image, and set the image's times to those in NOTE.  */
static bool
image_make_finish_image (int out, const struct image_note *note,
                         const struct image_elfparts *elfparts,
                         struct problem *problem)
{
  struct timespec times[2]
      = { { .tv_nsec = UTIME_NOW }, { .tv_sec = note->mtime / 1000000000 } };
  if (!rewrite_at (out, elfparts->head, elfparts->head_size, 0)
      || !rewrite_at (out, elfparts->tail, elfparts->tail_size,
                      note->offset + image_span (note) * note->block)
      || !image_make_trim_file (out, note, elfparts) || fsync (out) != 0
      || futimens (out, times) != 0)
    return problem_errno (problem, "the image cannot be written");
  return true;
}

/* Return true if the clock that the kernel uses for ctimes has advanced since
   the ctime in STATUS.  Once the clock has advanced, any later change of the
   file will set another ctime.  The clock normally advances every 10 ms or
   more often.  In a virtual machine the clock may stand still for longer,
   while the host does not run the processor that keeps the clock.  */
static bool
is_settled (const struct stat *status)
{
  struct timespec now;
  clock_gettime (CLOCK_REALTIME_COARSE, &now);
  return (HUGETEXT_NANOSECONDS (now) > HUGETEXT_NANOSECONDS (status->st_ctim));
}

/* Wait until every later change of the file FD will give the file a different
   ctime, and set STATUS to the file's status.  First write dirty pages to the
   disk: while a page is dirty, a process with a shared mapping can change the
   page again, and the kernel does not change the ctime.  A ctime in whole
   seconds may come from the tool that made the filesystem; such a tool may
   give the same ctime to another version of the file, in a new filesystem on
   the same device.  If the ctime is in whole seconds, set the file's mode to
   its current value, so that the kernel sets a new ctime.  Return false if the
   status of the file cannot be read.  */
static bool
let_settle (int fd, struct stat *status, struct problem *problem)
{
  if (fdatasync (fd) != 0 || fstat (fd, status) != 0)
    return problem_errno (problem, "the object's file cannot be read");
  if (status->st_ctim.tv_nsec == 0
      && (fchmod (fd, status->st_mode & 07777) != 0
          || fstat (fd, status) != 0))
    return problem_errno (problem,
                          "the file's ctime was set when the filesystem was "
                          "made, and cannot be updated");
  if (status->st_ctim.tv_nsec == 0)
    return problem_set (
        problem, "the timestamps of the filesystem have no fractions of a "
                 "second, so a later change of the file may not be noticed");
  for (int i = 0; i < 1000 && !is_settled (status); ++i)
    nanosleep (&(struct timespec){ .tv_nsec = 2 * 1000 * 1000 }, NULL);
  return identity_check_source (fd, status, problem);
}

bool
image_make (int out, int fd, const char *path,
            const struct hugetext_object *object, struct image_note *note,
            bool *full, struct problem *problem)
{
  struct image_elfparts elfparts;
  struct job job = { .out = out, .fd = fd, .note = note, .object = *object };
  struct stat before;
  *full = false;
  if (!let_settle (fd, &before, problem))
    return false;
  note->object = identity_of (&before);
  note->mtime = time (NULL) * (int64_t) 1000000000;
  bool good = image_elfparts_ask (fd, path, note, &elfparts, problem);
  errno = 0;
  good = good && do_job (&job, true, problem)
         && image_make_finish_image (out, note, &elfparts, problem);
  *full = !good && (errno == ENOSPC || errno == EDQUOT);
  image_elfparts_free (&elfparts);
  if (good && !image_is_of (fd, &note->object))
    good = problem_set (problem, "the file was changed while it was read");
  return good;
}

bool
image_compare (const struct stored *stored, struct problem *problem)
{
  struct elf_object elf;
  int source = image_open_object (&stored->image, problem);
  if (source < 0)
    return false;
  int fd = open (stored->path,
                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  bool good = fd < 0 ? problem_system (problem, errno)
                     : elfask_read (source, &elf, problem);
  if (good)
    {
      struct job job = { .out = fd,
                         .fd = source,
                         .note = &stored->image.note,
                         .object = elf.object };
      good = do_job (&job, false, problem);
    }
  if (fd >= 0)
    close (fd);
  close (source);
  return good;
}
