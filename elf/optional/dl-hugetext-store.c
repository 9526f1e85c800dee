/* The store: images of text that were made before the program starts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is a file with the bytes that copies would have.  "hugetext store"
   writes the image so that the page cache holds it in huge pages.  All
   processes share the image, and mapping it costs no more than mapping a
   library.  The index contains the path of an object's image.  When the image
   is made, it is compared with the object's file, and the identities of both
   are recorded.  The loader uses the image only if both identities are still
   the same.  The loader does not check the owner of the object's file again:
   root checked it when the image was made, and the ctime shows that the file
   has not changed since.

   The identities come from the file's filesystem, and a user's disk can report
   any identity, even under a device number that another disk had before.  So
   root must trust the object's present filesystem.  Root trusts the filesystem
   of the image, which is mounted, so that no other filesystem has its device
   number.  Root trusts the filesystem of the root directory.  Root also trusts
   a filesystem mounted without nosuid: only root can make such a mount, which
   already lets the filesystem's owner provide set-user-ID programs.

   Only ld-hugetext uses images.  So the loader evicts a block that is cached
   in small pages and reads it again, whichever process has read it before.  If
   the loader did not evict such blocks, a backup could make a block small for
   good.  */

#include <array_length.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* Flags of statfs(2): FLAGS_VALID says that the flags are known, FLAGS_NOSUID
   that the mount has nosuid.  */
#define FLAGS_VALID 0x20
#define FLAGS_NOSUID 0x2

/* Return the record of FILE's image from the state.  Return NULL if the
   attempt has not looked up the image, or had already looked up too many other
   images.  */
static const struct hugetext_index_image *
find_kept (const struct hugetext_state *state,
           const struct hugetext_identity *file)
{
  for (size_t i = 0; i < state->attempt.nimages; ++i)
    if (hugetext_same_file (&state->images[i].object, file))
      return &state->images[i];
  return NULL;
}

/* Look up the image of FILE in the index, and add the record to the state.  If
   there is no image, the record's block size is 0.  The first records stay,
   because the loader later asks for objects in the same order.  */
static const struct hugetext_index_image *
look_up (struct hugetext_state *state, const struct hugetext_identity *file)
{
  unsigned int *n = &state->attempt.nimages;
  *n = hugetext_min (*n + 1, array_length (state->images));
  struct hugetext_index_image *image = &state->images[*n - 1];
  const struct hugetext_index *index
      = _dl_hugetext_index (state->index, sizeof state->index);
  if (index == NULL
      || !hugetext_index_image (index, file, state->set.geo.block, image))
    *image = (struct hugetext_index_image){ .object = *file };
  _dl_hugetext_release_index ();
  return image;
}

bool
_dl_hugetext_find_image (struct hugetext_state *state,
                         const struct hugetext_record *record)
{
  if (!state->set.has.images || hugetext_is_anonymous (&record->file))
    return false;
  state->image = find_kept (state, &record->file);
  if (state->image == NULL)
    state->image = look_up (state, &record->file);
  return state->image->block != 0 && state->image->digest == record->digest;
}

/* Whether the file FD is on DEVICE.  Close FD.  */
static bool
is_on (long int fd, uint64_t device)
{
  struct stat64 status;
  if (sys_failed (fd))
    return false;
  bool same = __fstat64 (fd, &status) == 0 && status.st_dev == device;
  sys_close (fd);
  return same;
}

/* Whether RECORD's file is on a mount without nosuid.  */
static bool
is_mounted_by_root (struct hugetext_state *state,
                    const struct hugetext_record *record)
{
  struct statfs filesystem;
  int fd = _dl_hugetext_open_file (state, record);
  if (fd < 0)
    return false;
  long int result = sys_filesystem (fd, &filesystem);
  return (is_on (fd, record->file.device) && !sys_failed (result)
          && (filesystem.f_flags & (FLAGS_VALID | FLAGS_NOSUID))
                 == FLAGS_VALID);
}

/* Whether root trusts the filesystem of RECORD's file, from which IMAGE was
   made.  The check of the root directory opens no file unless there may be a
   filter, so no security module refuses it.  */
static bool
is_relied_on (struct hugetext_state *state,
              const struct hugetext_record *record,
              const struct hugetext_identity *image)
{
  const uint64_t device = record->file.device;
  if (device == image->device)
    return true;
  /* Close the images, because they may use up the process's descriptors.  */
  _dl_hugetext_close_images (state);
  return (is_on (sys_open_place ("/"), device)
          || (_dl_hugetext_unfiltered (state)
              && is_mounted_by_root (state, record)));
}

/* The maximum number of images that are open at a time.  */
#define OPEN_MAX 16

void
_dl_hugetext_close_image (struct hugetext_state *state, int fd)
{
  struct hugetext_attempt *attempt = &state->attempt;
  if (attempt->nopen == OPEN_MAX
      || fd != attempt->first_open + (int) attempt->nopen)
    _dl_hugetext_close_images (state);
  if (attempt->nopen++ == 0)
    attempt->first_open = fd;
  /* Another thread may need the descriptor.  */
  if (!attempt->start)
    _dl_hugetext_close_images (state);
}

/* Open the present image.  If there is no free descriptor, first close the
   other images.  */
static long int
open_image (struct hugetext_state *state)
{
  /* Open pagemap before the images, because it is needed next.  So the images
     get consecutive descriptors.  */
  _dl_hugetext_has_pagemap (state);
  long int fd = sys_open (state->image->name);
  if (fd != -EMFILE || state->attempt.nopen == 0)
    return fd;
  _dl_hugetext_close_images (state);
  return sys_open (state->image->name);
}

int
_dl_hugetext_open_image (struct hugetext_state *state,
                         const struct hugetext_record *record)
{
  struct hugetext_identity found;
  /* Do not try again after a refusal.  A security module that refuses one
     image refuses all images, because they have the same directory, owner and
     mode.  It logs each refusal.  */
  if (_dl_hugetext_root.image_error == EACCES
      || _dl_hugetext_root.image_error == EPERM
      || !_dl_hugetext_find_image (state, record))
    return -1;
  /* Find out whether sys_open may pass O_NONBLOCK.  */
  _dl_hugetext_ask (state);
  long int fd = open_image (state);
  if (sys_failed (fd))
    {
      _dl_hugetext_root.image_error = -fd;
      return -1;
    }
  if (_dl_hugetext_identify_trusted (fd, &found)
      && hugetext_same_file (&found, &state->image->image)
      && is_relied_on (state, record, &found))
    return fd;
  sys_close (fd);
  return -1;
}

bool
_dl_hugetext_image_block (const struct hugetext_state *state, uintptr_t block,
                          uint64_t *size, uint64_t *offset)
{
  *size = state->image->image.size;
  return hugetext_image_block (state->image, block - state->object.bias,
                               offset);
}
