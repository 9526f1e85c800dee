/* The store's directory: the files with images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If a file in the store's directory has the name of an image, the image is
   complete.  While the command is writing an image, the name of its file
   begins with a dot.  */

#include "image/directory.h"
#include "image/public.h"
#include "host/unprivileged.h"
#include "dl-hugetext-index.h"
#include "trust/identity.h"
#include "util/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
store_directory (void)
{
  static char path[sizeof INDEX_PATH + sizeof "store"];
  snprintf (path, sizeof path, "%.*s/store",
            (int) (strrchr (INDEX_PATH, '/') - INDEX_PATH), INDEX_PATH);
  return path;
}

/* The name of an image's file contains at most the first NAME_LENGTH
   characters of the object's base name before the hash, and at most the last
   NAME_LENGTH characters of the base name after the hash.  */
#define NAME_LENGTH ((size_t) 64)

void
store_image_path (const char *object, char path[static PATH_MAX])
{
  /* Compute the hash FNV-1a with 64 bits.  */
  uint64_t hash = 0xcbf29ce484222325;
  for (const char *p = object; *p != '\0'; ++p)
    hash = (hash ^ (unsigned char) *p) * 0x100000001b3;
  const char *name = hugetext_base_name (object);
  const size_t length = strlen (name);
  snprintf (path, PATH_MAX, "%s/%.*s.%016llx.%s", store_directory (),
            (int) NAME_LENGTH, name, (unsigned long long) hash,
            length > NAME_LENGTH ? name + length - NAME_LENGTH : name);
}

/* Find out whether the object has changed since the image FILE was made.  */
static void
look_at_object (struct stored *file)
{
  const size_t before = unprivileged_failures ();
  const int object = image_open_object (&file->image, &file->problem);
  if (object >= 0)
    close (object);
  file->unknown = unprivileged_failures () != before;
  /* If it is unknown whether the image has a problem, set no problem, because
     the command removes images with a problem.  */
  if (file->unknown)
    file->problem = (struct problem){ 0 };
}

/* Read the image FILE.  */
static void
image_directory_read_file (struct stored *file)
{
  int fd = open (file->path,
                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    {
      problem_system (&file->problem, errno);
      return;
    }
  /* Switch readahead off, because it would cache small pages of the
     image.  */
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  const bool good = image_read (fd, &file->image, &file->problem);
  close (fd);
  if (good)
    look_at_object (file);
}

/* Return true if this process can open COUNT more files at the same time.  If
   this process cannot open COUNT more files, set errno.  */
static bool
can_open (int count)
{
  if (count == 0)
    return true;
  int fd = open ("/", O_PATH | O_CLOEXEC);
  bool good = fd >= 0 && can_open (count - 1);
  if (fd >= 0)
    close (fd);
  return good;
}

/* Return true if ENTRY of the store's directory may be an image.  */
static int
is_shown (const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

bool
store_read (struct store *store, struct problem *problem)
{
  struct dirent **list;
  *store = (struct store){ .count = 0 };
  /* Require more free descriptors than the command uses at once.  Without a
     free descriptor, an object's file would seem to be missing, and the
     command would remove the object's image.  */
  if (!can_open (8))
    return problem_system (problem, errno);
  int count = scandir (store_directory (), &list, is_shown, alphasort);
  if (count < 0)
    return errno == ENOENT || problem_system (problem, errno);
  store->files = allocate ((count + 1) * sizeof *store->files);
  for (; store->count < (size_t) count; ++store->count)
    {
      struct stored *file = &store->files[store->count];
      char path[PATH_MAX];
      snprintf (path, sizeof path, "%s/%s", store_directory (),
                list[store->count]->d_name);
      file->path = allocate_text (path);
      image_directory_read_file (file);
      free (list[store->count]);
    }
  free (list);
  return true;
}

const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object)
{
  for (size_t i = 0; i < store->count; ++i)
    if (!problem_is (&store->files[i].problem)
        && hugetext_same_file (&store->files[i].image.note.object, object))
      return &store->files[i];
  return NULL;
}

void
store_free (struct store *store)
{
  for (size_t i = 0; i < store->count; ++i)
    free (store->files[i].path);
  free (store->files);
  *store = (struct store){ .count = 0 };
}
