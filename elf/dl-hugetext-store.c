/* The backing store: huge pages of images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image holds the bytes that copies would hold, in a file that "hugetext
   store" writes so that the page cache has it in huge pages.  All processes
   share it, and mapping it takes no more than mapping a library does.  The
   index says which file has an object's image.  The loader uses the image if
   both the object's file and the image are the very files that were compared
   when the image was made.  It does not ask again who owns the object's file:
   root did then, and the file's ctime says that nothing has changed since.
   Only ld-hugetext uses images, so that the loader evicts a block that is
   cached in small pages and reads it again, whichever process has read it so:
   otherwise a backup would spoil the block for good.  */

#include "dl-hugetext-file.h"
#include "dl-hugetext-lookup.h"
#include "dl-hugetext-probe.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-store.h"
#include "dl-hugetext-sys.h"

bool
_dl_hugetext_find_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         union hugetext_index_buffer *record)
{
  return (!hugetext_is_anonymous (file)
          && _dl_hugetext_open_index (&attempt->index)
          && hugetext_index_image (&attempt->index.index, file,
                                   attempt->geo.block, record)
          && record->image.digest == hugetext_object_digest (object));
}

int
_dl_hugetext_open_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         union hugetext_index_buffer *record)
{
  const struct hugetext_index_image *image = &record->image;
  struct hugetext_identity found;
  /* A security module that refuses one image refuses all, which have the same
     folder, owner and mode, and logs each refusal: do not ask again.  */
  if (_dl_hugetext_root.image_error == EACCES
      || _dl_hugetext_root.image_error == EPERM
      || !_dl_hugetext_find_image (attempt, object, file, record))
    return -1;
  long int fd = sys_open (image->name);
  if (sys_failed (fd))
    {
      _dl_hugetext_root.image_error = -fd;
      return -1;
    }
  if (_dl_hugetext_identify_trusted (fd, &found)
      && hugetext_same_file (&found, &image->image))
    return fd;
  sys_close (fd);
  return -1;
}

/* Whether the image has block I of RUN; sets OFFSET to the block's offset in
   the image.  */
static bool
in_image (const struct hugetext_run *run, size_t i, uint64_t *offset)
{
  return hugetext_image_block (
      run->image,
      (run->start - run->object->bias + i * run->attempt->geo.block), offset);
}

static size_t
select_store (const struct hugetext_run *run, enum hugetext_outcome *outcome)
{
  uint64_t offset;
  bool has = in_image (run, 0, &offset);
  size_t n = 1;

  *outcome = has ? HUGETEXT_MADE : HUGETEXT_NOT_STORED;
  while (n < run->nblocks && in_image (run, n, &offset) == has)
    ++n;
  return n;
}

static enum hugetext_outcome
map_store (struct hugetext_run *run)
{
  if (!in_image (run, 0, &run->offset))
    return HUGETEXT_NOT_STORED;
  enum hugetext_outcome outcome
      = _dl_hugetext_map_file (run, run->image->image.size);
  if (outcome == HUGETEXT_FORBIDDEN)
    _dl_hugetext_root.image_error = EACCES;
  return outcome;
}

/* Touch one page of each block, if the page cache has all of the block.  */
static void
touch_store (struct hugetext_run *run)
{
  if (!_dl_hugetext_touch_once (run))
    _dl_hugetext_touch_file (run);
  for (size_t i = 0; i < run->nblocks; ++i)
    run->just_read[i] = true;
}

/* Compare block I of RUN with memory: only memory has breakpoints.  */
static enum hugetext_outcome
check_store (struct hugetext_run *run, size_t i)
{
  uintptr_t block = run->attempt->geo.block;
  uintptr_t start = run->start + i * block;
  uintptr_t delta = run->staging - run->start;
  struct hugetext_piece piece;

  switch (_dl_hugetext_has_private (run->attempt, start, start + block))
    {
    case HUGETEXT_YES:
      return HUGETEXT_MODIFIED;
    case HUGETEXT_NO:
      return HUGETEXT_MADE;
    case HUGETEXT_NOT_ASKED:
      break;
    }
  for (uintptr_t cursor = start;
       hugetext_next_piece (run->object, cursor, start + block, &piece);
       cursor = piece.end)
    if (!_dl_hugetext_is_unmodified (run->attempt, piece.start, piece.end,
                                     piece.start + delta))
      return HUGETEXT_MODIFIED;
  return HUGETEXT_MADE;
}

void
_dl_hugetext_store (struct hugetext_backing *backing)
{
  *backing = (struct hugetext_backing){ .way = HUGETEXT_WAY_STORE,
                                        .if_small = HUGETEXT_STORE_SMALL };
  backing->select = select_store;
  backing->map = map_store;
  backing->touch = touch_store;
  backing->retry = _dl_hugetext_retry_file;
  backing->fill = check_store;
}
