/* The backing "store": the loader maps images of text, which the command
   "hugetext store" has made earlier.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is a file with the bytes that copies of the text would have.  The
   command writes the image so that the page cache holds the image in huge
   pages.  All processes share the image.  Mapping an image takes no longer
   than mapping a library.  The index contains the path of each object's image.
   When the command makes an image, it compares the image with the object's
   file, and records the identities of both files.  The loader uses the image
   only if the image and the object's file still have the recorded identities.
   The loader need not check who owns the object's file, because the command
   checked the owner when it made the image, and an equal ctime shows that the
   file has not changed since then.

   The identity of a file consists of numbers that the file's filesystem
   reports.  A user may own a disk with a filesystem that reports any inode
   number and time, and that has a device number which another disk had before.
   So the loader uses an image only if root trusts the filesystem that the
   object's file is on.  The loader assumes that root trusts the filesystem of
   the image; while this filesystem is mounted, no other filesystem has its
   device number.  The loader also assumes that root trusts the filesystem of
   the root directory, and each filesystem that is mounted without the option
   nosuid.  Only root can mount a filesystem without nosuid, and the owner of a
   filesystem without nosuid could also put set-user-ID programs on it.

   Only ld-hugetext uses images.  So if a block of an image is cached in small
   pages, the loader evicts the block and reads it again, no matter which
   process has read it in small pages.  Otherwise a backup program that reads
   an image could make the image's blocks small permanently.  */

#include <array_length.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-sys.h"

/* Flags of statfs(2): FLAGS_VALID says that the kernel reports flags,
   FLAGS_NOSUID that the filesystem is mounted with nosuid.  */
#define FLAGS_VALID 0x20
#define FLAGS_NOSUID 0x2

/* Return the record of FILE's image from the state.  Return NULL if the
   attempt has not looked up this image yet, or if STATE had no free element
   for the image.  */
static const struct hugetext_index_image *
store_find_kept (const struct hugetext_state *state,
                 const struct hugetext_identity *file)
{
  for (size_t i = 0; i < state->attempt.nimages; ++i)
    if (hugetext_same_file (&state->images[i].object, file))
      return &state->images[i];
  return NULL;
}

/* Look up the image of FILE in the index, and add the record to the state.  If
   the index has no image of FILE, add a record whose block size is 0, so that
   the loader does not look in the index for this image again.  If the state is
   full, do not replace its first records, because the loader will look up the
   same objects again, in the same order.  */
static const struct hugetext_index_image *
store_look_up_image (struct hugetext_state *state,
                     const struct hugetext_identity *file)
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

/* Return true if the kernel has refused an image.  A security module that
   refuses one image refuses all images, because all images have the same
   directory, owner and mode.  After a refusal the loader no longer chooses
   addresses that suit images, and tries no other image, because security
   modules log each refusal.  */
static bool
store_is_refused (void)
{
  return (_dl_hugetext_root.image_error == EACCES
          || _dl_hugetext_root.image_error == EPERM);
}

bool
_dl_hugetext_find_image (struct hugetext_state *state,
                         const struct hugetext_record *record)
{
  if (!state->set.has.images || store_is_refused ()
      || hugetext_is_anonymous (&record->file))
    return false;
  state->image = store_find_kept (state, &record->file);
  if (state->image == NULL)
    state->image = store_look_up_image (state, &record->file);
  return state->image->block != 0 && state->image->digest == record->digest;
}

/* Return true if the file on descriptor FD is on DEVICE.  Close FD.  */
static bool
store_is_on_device (long int fd, uint64_t device)
{
  struct stat64 status;
  if (sys_failed (fd))
    return false;
  bool same = __fstat64 (fd, &status) == 0 && status.st_dev == device;
  sys_close (fd);
  return same;
}

/* Return true if RECORD's file is on a filesystem that is mounted without
   nosuid.  */
static bool
is_mounted_by_root (struct hugetext_state *state,
                    const struct hugetext_record *record)
{
  struct statfs filesystem;
  int fd = _dl_hugetext_open_file (state, record);
  if (fd < 0)
    return false;
  long int result = sys_filesystem (fd, &filesystem);
  return (store_is_on_device (fd, record->file.device) && !sys_failed (result)
          && (filesystem.f_flags & (FLAGS_VALID | FLAGS_NOSUID))
                 == FLAGS_VALID);
}

/* Return true if root trusts the filesystem of RECORD's file.  IMAGE is the
   identity of the file's image.  To query the device of the root directory,
   the loader opens the directory with O_PATH, because no security module
   refuses to open a directory with O_PATH.  If the process may have a seccomp
   filter, the loader opens the directory without O_PATH.  */
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
  return (store_is_on_device (sys_open_place ("/"), device)
          || (_dl_hugetext_unfiltered (state)
              && is_mounted_by_root (state, record)));
}

/* The maximum number of images that the loader has open at a time.  */
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
  /* Close the image at once, because another thread may need a descriptor at
     this moment.  */
  if (!attempt->start)
    _dl_hugetext_close_images (state);
}

/* Open the image whose record is in STATE.  If the process has no free
   descriptor, first close the other images.  */
static long int
open_image (struct hugetext_state *state)
{
  /* Open /proc/self/pagemap before the first image.  If the loader opened
     /proc/self/pagemap between two images, the descriptors of the images would
     not be consecutive, and one system call could not close all of them.  */
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
  if (!_dl_hugetext_find_image (state, record))
    return -1;
  /* Find out about seccomp filters first, because sys_open may use O_NONBLOCK
     only if there is no filter.  */
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
