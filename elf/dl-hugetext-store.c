/* The store: images of text that were made before the program starts.
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

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

bool
_dl_hugetext_find_image (struct hugetext_state *state,
                         const struct hugetext_record *record)
{
  if (!state->set.has.images || hugetext_is_anonymous (&record->file))
    return false;
  const struct hugetext_index *index = _dl_hugetext_index ();
  bool found = (index != NULL
                && hugetext_index_image (index, &record->file,
                                         state->set.geo.block, &state->image)
                && state->image.digest == record->digest);
  _dl_hugetext_release_index ();
  return found;
}

int
_dl_hugetext_open_image (struct hugetext_state *state,
                         const struct hugetext_record *record)
{
  const struct hugetext_index_image *image = &state->image;
  struct hugetext_identity found;
  /* A security module that refuses one image refuses all, which have the same
     folder, owner and mode, and logs each refusal: do not ask again.  */
  if (_dl_hugetext_root.image_error == EACCES
      || _dl_hugetext_root.image_error == EPERM
      || !_dl_hugetext_find_image (state, record))
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

bool
_dl_hugetext_image_block (const struct hugetext_state *state, uintptr_t block,
                          uint64_t *size, uint64_t *offset)
{
  *size = state->image.image.size;
  return hugetext_image_block (&state->image, block - state->object.bias,
                               offset);
}
