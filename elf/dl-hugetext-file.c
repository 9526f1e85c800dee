/* The backing file: huge pages of the object's own file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file also has all that the loader knows of the page cache.  Nothing is
   copied: the page cache holds the huge pages, and all processes share them.
   Whether the page cache holds huge pages depends on the filesystem and on the
   way in which the file was read.  */

#include <sys/stat.h>

#include "dl-hugetext-backing.h"
#include "dl-hugetext-file.h"
#include "dl-hugetext-probe.h"
#include "dl-hugetext-reread.h"
#include "dl-hugetext-space.h"
#include "dl-hugetext-stage.h"
#include "dl-hugetext-sync.h"
#include "dl-hugetext-sys.h"

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
  /* IMA, another security module or a mount with noexec refuses.  */
  if (staging == -EACCES || staging == -EPERM)
    return HUGETEXT_FORBIDDEN;
  if (sys_failed (staging))
    return HUGETEXT_NO_SPACE;
  run->staging = staging;
  run->untouched = _dl_hugetext_untouched (run->attempt, staging);
  /* With the second advice (MADV_RANDOM) the kernel reads only the block that
     is touched.  Without it, the kernel reads ahead in the background, in
     small pages.  */
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
  if (!_dl_hugetext_touch_counting (run))
    _dl_hugetext_touch_once (run);
}

/* Whether the kernel may gather pages of RUN's file.  The loader asks the
   kernel for each file: from Linux 7.2 on it gathers where the filesystem has
   large folios; from 6.1 on, if built with CONFIG_READ_ONLY_THP_FOR_FS, on all
   filesystems unless a process has the file open for writing, and otherwise on
   tmpfs only.  With that option, opening a file with such pages for writing
   drops all its cached pages, also changes that are not on the disk yet
   (do_dentry_open in fs/open.c; seen on 6.1).  Nothing is lost if the file has
   been written to the disk before.  */
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
  return _dl_hugetext_write_back (attempt, run->file);
}

/* Whether the kernel has gathered block I of RUN into a huge page.  The kernel
   cannot gather pages that it is still reading: then wait for them once, and
   ask again.  */
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
      if (_dl_hugetext_read_again (run))
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
