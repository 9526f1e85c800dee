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

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME ".lock"

void
store_path (const char *index, char path[static PATH_MAX])
{
  char copy[PATH_MAX];
  snprintf (copy, sizeof copy, "%s", index);
  snprintf (path, PATH_MAX, "%.*s/store", PATH_MAX - 8, dirname (copy));
}

void
store_name (const char *path, char name[static NAME_MAX])
{
  /* FNV-1a with 64 bits.  */
  uint64_t hash = 0xcbf29ce484222325;
  for (const char *p = path; *p != '\0'; ++p)
    hash = (hash ^ (unsigned char) *p) * 0x100000001b3;
  snprintf (name, NAME_MAX, "%.64s.%016llx", hugetext_base_name (path),
            (unsigned long long) hash);
}

/* Read the image FILE, NAME in the folder DIR.  */
static void
read_file (int dir, const char *name, struct stored *file)
{
  int fd = openat (dir, name,
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
  if (file->image.note.version != IMAGE_VERSION)
    return;
  const char *problem = image_match (&file->image);
  if (file->problem == NULL)
    file->problem = problem;
  if (file->problem == NULL && strlen (file->path) >= HUGETEXT_SOURCE_MAX)
    file->problem = "its path is too long";
}

/* Add NAME in the folder DIR to STORE.  */
static bool
add_file (struct store *store, int dir, const char *name)
{
  struct stored *files
      = reallocarray (store->files, store->count + 1, sizeof *files);
  if (files == NULL)
    return false;
  store->files = files;
  struct stored *file = &files[store->count];
  memset (file, 0, sizeof *file);
  file->name = strdup (name);
  if (file->name == NULL
      || asprintf (&file->path, "%s/%s", store->path, name) < 0)
    {
      free (file->name);
      return false;
    }
  ++store->count;
  read_file (dir, name, file);
  return true;
}

static int
by_name (const void *a, const void *b)
{
  const struct stored *x = a, *y = b;
  return strcmp (x->name, y->name);
}

const char *
store_read (struct store *store, const char *path)
{
  *store = (struct store){ .count = 0 };
  snprintf (store->path, sizeof store->path, "%s", path);
  DIR *dir = opendir (path);
  if (dir == NULL)
    return errno == ENOENT ? NULL : strerror (errno);
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir (dir)) != NULL;)
    if (entry->d_name[0] != '.')
      good = add_file (store, dirfd (dir), entry->d_name);
  closedir (dir);
  if (store->count > 0)
    qsort (store->files, store->count, sizeof *store->files, by_name);
  return good ? NULL : strerror (ENOMEM);
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
    {
      free (store->files[i].name);
      free (store->files[i].path);
    }
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

/* Take the lock FD, until END.  False with errno set.  */
static bool
take_lock (int fd, int64_t end)
{
  while (end == 0 ? flock (fd, LOCK_EX) != 0
                  : flock (fd, LOCK_EX | LOCK_NB) != 0)
    if (errno == EWOULDBLOCK && store_clock () < end)
      nanosleep (&(struct timespec){ .tv_nsec = 50 * 1000 * 1000 }, NULL);
    else if (errno != EINTR)
      return false;
  return true;
}

const char *
store_lock (const char *path, int *fd, int64_t end, const char *who)
{
  struct stat status;
  char lock[PATH_MAX];
  *fd = -1;
  if (!rewrite_folder (path) || stat (path, &status) != 0)
    return strerror (errno);
  if (!S_ISDIR (status.st_mode))
    return strerror (ENOTDIR);
  if (status.st_uid != geteuid ()
      || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others can write to it; must be a folder that only root can write"
           " to";
  if ((size_t) snprintf (lock, sizeof lock, "%s/" LOCK_NAME, path)
      >= sizeof lock)
    return strerror (ENAMETOOLONG);
  *fd = open (lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (*fd < 0)
    return strerror (errno);
  if (flock (*fd, LOCK_EX | LOCK_NB) != 0)
    {
      if (errno == EWOULDBLOCK && who != NULL)
        fprintf (stderr, "%s: %s: somebody else is changing it; waiting\n",
                 who, path);
      if (!take_lock (*fd, end))
        {
          int error = errno;
          close (*fd);
          *fd = -1;
          return (error == EWOULDBLOCK ? "somebody else is changing it"
                                       : strerror (error));
        }
    }
  rewrite_clean (path);
  return NULL;
}
