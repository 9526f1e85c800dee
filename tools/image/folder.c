/* The store's folder: the files with images, and the lock.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file with the name of an image is a whole image: unfinished files have
   names that begin with a dot until they are renamed.  A command that changes
   the folder takes the lock, a file that only root can open; any user could
   lock a folder.  */

#include "image/folder.h"
#include "dl-hugetext-index.h"
#include "trust/identity.h"
#include "trust/rewrite.h"
#include "util/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *
store_folder (void)
{
  static char path[sizeof INDEX_PATH + sizeof "store"];
  snprintf (path, sizeof path, "%.*s/store",
            (int) (strrchr (INDEX_PATH, '/') - INDEX_PATH), INDEX_PATH);
  return path;
}

void
store_image_path (const char *object, char path[static PATH_MAX])
{
  /* FNV-1a with 64 bits.  */
  uint64_t hash = 0xcbf29ce484222325;
  for (const char *p = object; *p != '\0'; ++p)
    hash = (hash ^ (unsigned char) *p) * 0x100000001b3;
  snprintf (path, PATH_MAX, "%s/%.64s.%016llx", store_folder (),
            hugetext_base_name (object), (unsigned long long) hash);
}

/* Read the image FILE.  */
static void
read_file (struct stored *file)
{
  int fd = open (file->path,
                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    {
      file->problem = strerror (errno);
      return;
    }
  /* Prevent readahead, which would cache small pages.  */
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  file->problem = image_read (fd, &file->image);
  close (fd);
  if (file->problem == NULL)
    {
      int object = image_open_object (&file->image, &file->problem);
      if (object >= 0)
        close (object);
    }
}

/* Whether COUNT more files can be open at a time; sets errno.  */
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

/* Whether ENTRY may be an image.  */
static int
is_shown (const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

const char *
store_read (struct store *store)
{
  struct dirent **list;
  *store = (struct store){ .count = 0 };
  /* More than are needed at a time: a file that cannot be opened would count
     as one that is not there, and its image would be removed.  */
  if (!can_open (8))
    return strerror (errno);
  int count = scandir (store_folder (), &list, is_shown, alphasort);
  if (count < 0)
    return errno == ENOENT ? NULL : strerror (errno);
  store->files = allocate ((count + 1) * sizeof *store->files);
  for (; store->count < (size_t) count; ++store->count)
    {
      struct stored *file = &store->files[store->count];
      char path[PATH_MAX];
      snprintf (path, sizeof path, "%s/%s", store_folder (),
                list[store->count]->d_name);
      file->path = allocate_text (path);
      read_file (file);
      free (list[store->count]);
    }
  free (list);
  return NULL;
}

const struct stored *
store_find (const struct store *store, const struct hugetext_identity *object)
{
  for (size_t i = 0; i < store->count; ++i)
    if (store->files[i].problem == NULL
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

int64_t
store_clock (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C (1000) + now.tv_nsec / 1000000;
}

/* Take the lock FD, and report a wait for WHO.  False with errno set.  */
static bool
take_lock (int fd, int64_t end, const char *who)
{
  while (flock (fd, LOCK_EX | LOCK_NB) != 0)
    {
      if (errno != EWOULDBLOCK || (end != 0 && store_clock () >= end))
        return false;
      if (who != NULL)
        fprintf (stderr, "%s: %s: another command is changing it; waiting\n",
                 who, store_folder ());
      who = NULL;
      nanosleep (&(struct timespec){ .tv_nsec = 50 * 1000 * 1000 }, NULL);
    }
  return true;
}

const char *
store_lock (int *fd, int64_t end, const char *who)
{
  struct stat status;
  char path[PATH_MAX];
  *fd = -1;
  if (!rewrite_folder (store_folder (), NULL)
      || stat (store_folder (), &status) != 0)
    return strerror (errno);
  if (!S_ISDIR (status.st_mode))
    return strerror (ENOTDIR);
  if (status.st_uid != geteuid ()
      || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others can write to it; must be a folder that only root can write"
           " to";
  snprintf (path, sizeof path, "%s/.lock", store_folder ());
  *fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (*fd >= 0 && take_lock (*fd, end, who))
    {
      rewrite_clean (store_folder ());
      return NULL;
    }
  const char *problem = errno == EWOULDBLOCK ? "another command is changing it"
                                             : strerror (errno);
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
  return problem;
}
