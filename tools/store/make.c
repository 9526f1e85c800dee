/* Make images of those objects that can have an image, and record the results.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/parts.h"
#include "image/make.h"
#include "image/public.h"
#include "store/state.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/procmaps.h"
#include "trust/identity.h"
#include "trust/rewrite.h"
#include "util/allocate.h"
#include "util/count.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The store leaves 1/RESERVE of its filesystem free, but at most RESERVE_MAX
   bytes.  */
#define RESERVE 20
#define RESERVE_MAX (UINT64_C (4) << 30)

/* Return true if the filesystem of DIRECTORY has enough space for SIZE bytes.
 */
static bool
has_space (const char *directory, uint64_t size)
{
  struct statvfs filesystem;
  /* A filesystem without a size (ramfs) reports 0 blocks.  */
  if (statvfs (directory, &filesystem) != 0 || filesystem.f_blocks == 0)
    return true;
  uint64_t reserve = filesystem.f_blocks / RESERVE * filesystem.f_frsize;
  reserve = reserve < RESERVE_MAX ? reserve : RESERVE_MAX;
  return filesystem.f_bavail * filesystem.f_frsize >= size + reserve;
}

/* Return true if the store's filesystem has enough space for the image that
   NOTE describes.  */
static bool
store_make_has_room (const struct image_note *note)
{
  /* Count one more block for the headers, symbols and names in the image.  */
  return has_space (store_directory (), (note->blocks + 1) * note->block);
}

/* Make the kernel cache the block at OFFSET of the file FD in a huge page.
   The file is in the store, and has been written completely.  Return the
   result of filecache_fill: PIECE_HUGE, PIECE_SMALL or PIECE_UNKNOWN.  */
static enum piece
fill_block (int fd, uint64_t offset)
{
  return filecache_look (fd, offset).state == PIECE_HUGE
             ? PIECE_HUGE
             : filecache_fill (fd, offset, FILECACHE_TRIES);
}

/* Make the kernel use huge pages to cache the blocks of the image FD, which is
   complete.  NOTE describes the image.  When all blocks are cached, return how
   many blocks are on huge pages according to the kernel.  */
static size_t
store_make_fill_cache (int fd, const struct image_note *note)
{
  size_t huge = 0;
  for (size_t i = 0; i < image_span (note); ++i)
    if (image_has (note, i))
      huge += (fill_block (fd, note->offset + i * note->block) == PIECE_HUGE);
  return huge;
}

/* Set DIRECTORY to the store's directory or, if it does not exist, to the
   directory in which the store would be created.  */
static void
store_make_find_directory (char directory[static PATH_MAX])
{
  snprintf (directory, PATH_MAX, "%s", store_directory ());
  while (access (directory, F_OK) != 0
         && strrchr (directory, '/') != directory)
    *strrchr (directory, '/') = '\0';
}

/* Set *HUGE to true if the kernel caches the block of FD, a file of one block,
   in a huge page, otherwise to false.  If the block is on small pages that the
   kernel could collapse, perhaps there was only no memory for a huge page: set
   PROBLEM and return false.  */
static bool
try_block (int fd, bool *huge, struct problem *problem)
{
  const enum piece piece = fill_block (fd, 0);
  *huge = piece == PIECE_HUGE;
  return *huge || (piece == PIECE_SMALL && !filecache_collapses (fd))
         || problem_set (problem, "the kernel does not tell whether it can "
                                  "cache the file in a huge page");
}

bool
store_try (bool *huge, struct problem *problem)
{
  const size_t block = hugetext_geometry (getpagesize ()).block;
  struct rewrite out;
  char directory[PATH_MAX];
  store_make_find_directory (directory);
  if (block == 0)
    return problem_set (problem, "the kernel's huge pages are larger than 32 "
                                 "MiB, the maximum that hugetext supports");
  if (!has_space (directory, block))
    return problem_set (problem, "the filesystem has no space");
  if (!rewrite_begin (&out, directory, problem))
    return false;
  /* Remove the file's name now, so that nothing remains if the command is
     killed.  */
  unlinkat (out.dir, out.new, 0);
  char *data = allocate (block);
  /* Write to the file, because the kernel caches no huge page for a hole.  */
  memset (data, 1, block);
  const bool good
      = (rewrite_at (out.fd, data, block, 0) && fsync (out.fd) == 0)
            ? try_block (out.fd, huge, problem)
            : problem_system (problem, errno);
  rewrite_end (&out, "", false);
  free (data);
  return good;
}

/* Make the image that NOTE describes.  The image is of the file PATH, which is
   open on descriptor FD; OBJECT contains the segments of the file.  If the
   kernel does not cache images in huge pages, set *SMALL.  */
static bool
store_make_make_image (struct store_work *work, const char *path, int fd,
                       const struct hugetext_object *object,
                       struct image_note *note, bool *small,
                       struct problem *problem)
{
  struct rewrite out;
  char to[PATH_MAX];
  store_image_path (path, to);
  /* The file TO is an older image of the object, which nothing uses any more.
     If the filesystem has too little space for the new image, remove the older
     image first.  */
  if (!store_make_has_room (note)
      && (unlink (to) != 0 || !store_make_has_room (note)))
    {
      work->full = true;
      return problem_set (
          problem, "the filesystem has no space for the image: hugetext "
                   "reserves the remaining space for other files");
    }
  if (!rewrite_begin (&out, store_directory (), problem))
    {
      work->full = errno == ENOSPC || errno == EDQUOT;
      return false;
    }
  const bool made
      = image_make (out.fd, fd, path, object, note, &work->full, problem);
  /* If the kernel does not cache the first image in huge pages, assume that it
     caches no image in huge pages.  */
  *small
      = made && store_make_fill_cache (out.fd, note) == 0 && work->made == 0;
  bool good = made && !*small;
  if (!rewrite_end (&out, strrchr (to, '/') + 1, good) && good)
    return problem_errno (problem, "the image cannot be written");
  if (good)
    {
      ++work->made;
      work->size += note->blocks * note->block;
      if (work->tell)
        printf ("%s: " COUNT_FORMAT "\n", path, COUNT (note->blocks, "block"));
    }
  return made;
}

/* Return true if STORE already contains an image, with the layout in NOTE, of
   the file whose status is STATUS.  */
static bool
store_make_has_image (const struct store *store, const struct stat *status,
                      const struct image_note *note)
{
  struct hugetext_identity identity = identity_of (status);
  const struct stored *stored = store_find (store, &identity);
  if (stored == NULL)
    return false;
  const struct image_note *there = &stored->image.note;
  return (there->digest == note->digest && there->block == note->block
          && there->first == note->first && there->offset == note->offset
          && memcmp (there->has, note->has, sizeof note->has) == 0);
}

/* The number and the size in bytes of the images of opened objects.  An opened
   object is mapped by a process of an entry, but no program of the entry needs
   it (DT_NEEDED), like a plugin.  */
struct quota
{
  size_t images;
  uint64_t bytes;
  bool full; /* True if an image was not made because of the limits.  */
};

/* Return true if OPENED_IMAGES_MAX and OPENED_BYTES_MAX allow one more image,
   which NOTE describes.  If the limits allow the image, count the image in
   QUOTA.  */
static bool
take_quota (struct quota *quota, const struct image_note *note)
{
  const uint64_t bytes = note->blocks * note->block;
  bool good = (quota->images < OPENED_IMAGES_MAX
               && bytes <= OPENED_BYTES_MAX - quota->bytes);
  quota->full |= !good;
  quota->images += good;
  quota->bytes += good ? bytes : 0;
  return good;
}

/* The reasons why an object may need no image, for the function "skips".  */
struct skipped
{
  const struct store *store;
  struct quota *quota; /* The limits on images of opened objects (struct
                          quota).  NULL if there are no limits.  */
  bool there;          /* The result: Skip the object, because STORE already
                          contains its image.  */
};

/* Return true if no image of OBJECT should be made, because the quota for
   opened objects is used up, or the store already contains the image.  CLOSURE
   points to an object of the type "struct skipped".  */
static bool
skips (void *closure, const struct fit_object *object)
{
  struct skipped *skipped = closure;
  if (skipped->quota != NULL && !take_quota (skipped->quota, &object->note))
    return true;
  skipped->there
      = store_make_has_image (skipped->store, &object->status, &object->note);
  return skipped->there;
}

/* Make an image of the object PATH, which is open on descriptor FD, if it has
   enough text.  NAMED is true if a user has named PATH.  Add the image to
   QUOTA, unless QUOTA is NULL.  If no image was made and the caller should
   report the reason, set PROBLEM to the reason and return false.  */
static bool
store_make_consider_object (const struct store *store, struct store_work *work,
                            const char *path, int fd, bool named,
                            struct quota *quota, bool *small,
                            struct problem *problem)
{
  struct fit_object object;
  struct skipped skipped = { store, quota, false };
  switch (fit_judge (path, fd, skips, &skipped, &object, problem))
    {
    case FIT_GOOD:
      return work_is_late (work)
             || store_make_make_image (work, path, fd, &object.elf.object,
                                       &object.note, small, problem);
    case FIT_SKIPPED:
      work->there += skipped.there;
      return true;
    case FIT_NO_SOURCE:
      return !named && work->brief;
    case FIT_NEEDS_PATH:
      if (!named && work->tell && !work->brief)
        printf ("%s: no image: %s\n", path, problem->text);
      return !named;
    default:
      return !named;
    }
}

void
store_remedy (char *remedy, size_t size)
{
  static const char shmem[]
      = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
  const char *directory = store_directory ();
  const bool denied = strcmp (machine_choice (shmem), "deny") == 0;
  int length = 0;
  if (!denied)
    length = snprintf (remedy, size,
                       "mkdir -p %s && mount -t tmpfs -o "
                       "huge=always,mode=755,size=1g hugetext %s; or ",
                       directory, directory);
  snprintf (remedy + length, size - length,
            "use XFS (Linux 6.1 or later) or ext4 (Linux 6.16 or later)");
}

/* Report that images in the store have no effect, because the kernel does not
   cache the first image in huge pages.  */
static void
say_small (struct store_work *work)
{
  char remedy[STORE_REMEDY], text[STORE_REMEDY + 128];
  store_remedy (remedy, sizeof remedy);
  snprintf (text, sizeof text,
            "no image was made, because the kernel did not cache the image in "
            "huge pages; to get an image, free memory; or %s",
            remedy);
  work_say (work, store_directory (), text);
}

/* Report that there are no images of some objects that the processes of NAME
   have opened, because the limits of QUOTA were reached.  */
static void
say_quota (struct store_work *work, const char *name,
           const struct quota *quota)
{
  char text[320];
  snprintf (text, sizeof text,
            "hugetext made no images of some objects that the processes have "
            "opened, because it makes at most " COUNT_FORMAT
            " of opened objects, with at most "
            "%d MiB together (" COUNT_FORMAT
            " with %d MiB so far); to make an image "
            "of a file: hugetext store add FILE",
            COUNT (OPENED_IMAGES_MAX, "image"), (int) (OPENED_BYTES_MAX >> 20),
            COUNT (quota->images, "image"), (int) (quota->bytes >> 20));
  work_say (work, name, text);
}

void
store_make (const struct store *store, const struct objects *objects,
            const char *name)
{
  struct store_work *work = objects->work;
  struct quota quota = { .images = 0 };
  bool small = false;
  for (size_t i = 0; i < objects->files.count && !work->late && !small; ++i)
    {
      const char *path = objects->files.names[i];
      const bool was_full = work->full;
      struct problem problem;
      const int fd = public_open (path, &problem);
      work->full = false;
      if ((fd < 0
           || !store_make_consider_object (
               store, work, path, fd, i < objects->named,
               name != NULL && i >= objects->fixed ? &quota : NULL, &small,
               &problem))
          && !(work->full && file_list_has (&work->excluded, path)))
        work_say (work, path, problem.text);
      /* Remember the file, because another service may need it, too.  Continue
         with the next file, because the user must know all files without an
         image, and because a smaller image may fit.  */
      if (work->full && !file_list_has (&work->excluded, path))
        file_list_add (&work->excluded, path);
      work->full |= was_full;
      if (fd >= 0)
        close (fd);
    }
  if (quota.full)
    say_quota (work, name, &quota);
  if (small)
    say_small (work);
}
