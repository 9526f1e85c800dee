/* The backings file and store: huge pages of the object's own file, or of its
   image in the store.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nothing is copied: the page cache holds the huge pages, and all processes
   share them.  Whether the page cache holds huge pages depends on the
   filesystem and on the way in which the file was read.  */

#include "dl-hugetext-sys.h"
#include "dl-hugetext-work.h"

/* Map RUN from its file, without the blocks that reach beyond the file's
   end.  */
static enum hugetext_outcome
map_file (struct hugetext_run *run)
{
  const struct hugetext_geometry *geo = &run->state->set.geo;
  uint64_t end = (run->size + geo->page - 1) & -(uint64_t) geo->page;
  size_t fit = end > run->offset ? (end - run->offset) / geo->block : 0;
  run->nblocks = hugetext_min (run->nblocks, fit);
  if (fit == 0)
    return HUGETEXT_FILE_SMALL;

  size_t length = run->nblocks * geo->block;
  long int staging = _dl_hugetext_map_aligned (
      geo, length, run->prot, MAP_PRIVATE, run->file, run->offset);
  /* IMA, another security module or a mount with noexec refuses.  */
  if (staging == -EACCES || staging == -EPERM)
    {
      if (run->way == HUGETEXT_WAY_STORE)
        _dl_hugetext_root.image_error = EACCES;
      return HUGETEXT_FORBIDDEN;
    }
  if (sys_failed (staging))
    return HUGETEXT_NO_SPACE;
  run->staging = staging;
  run->untouched = _dl_hugetext_untouched (run->state, staging);
  /* With the second advice (MADV_RANDOM) the kernel reads only the block that
     is touched.  Without it, the kernel reads ahead in the background, in
     small pages.  */
  if (!sys_failed (sys_madvise (staging, length, MADV_HUGEPAGE))
      && !sys_failed (sys_madvise (staging, length, MADV_RANDOM)))
    return HUGETEXT_MADE;
  sys_munmap (staging, length);
  return HUGETEXT_FILE_SMALL;
}

/* Touch one page of each block of RUN, the last block first, as far as the
   kernel can (from Linux 5.14 on).  */
static void
touch (const struct hugetext_run *run)
{
  for (size_t i = run->nblocks; i-- > 0;)
    if (sys_failed (sys_madvise (_dl_hugetext_staged (run, i),
                                 run->state->set.geo.page,
                                 MADV_POPULATE_READ)))
      break;
}

enum hugetext_outcome
_dl_hugetext_stage_file (struct hugetext_run *run)
{
  const bool own = run->way == HUGETEXT_WAY_FILE;
  enum hugetext_outcome mapped = map_file (run);
  if (mapped != HUGETEXT_MADE)
    return mapped;

  /* An image is for us alone: all of it may be read again.  */
  for (size_t i = 0; i < run->nblocks; ++i)
    run->just_read[i] = !own;
  if (!own || !_dl_hugetext_touch_counting (run))
    touch (run);
  if (!_dl_hugetext_is_huge (run))
    _dl_hugetext_retry_file (run);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->outcome[i] = (run->huge[i] ? HUGETEXT_MADE
                       : own        ? HUGETEXT_FILE_SMALL
                                    : HUGETEXT_STORE_SMALL);
  return HUGETEXT_MADE;
}
