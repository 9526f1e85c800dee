/* The comparison of images with the files that they were made from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image is compared when it is made.  Later a disk, memory, or a user who
   writes to files behind the kernel's back may spoil it.  Comparing a block
   takes 0.23 ms if all is cached, and reads 4 MiB if nothing is: so each
   refresh compares a part of the images, and notes in the folder how far it
   came.  */

#include "store/verify.h"
#include "image/make.h"
#include "object/elfobject.h"
#include "store/state.h"
#include "trust/identity.h"
#include "trust/rewrite.h"
#include "trust/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file in the folder with the name of the last image that was
   compared.  */
#define LAST_NAME ".compared"

/* Whether the file FD is the one from which STORED was made.  */
static bool
is_source (int fd, const struct stored *stored)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return false;
  struct hugetext_identity identity = identity_of (&status);
  return hugetext_same_file (&identity, &stored->image.note.object);
}

/* Do the work of compare, with the files open as FD and SOURCE.  */
static const char *
compare_files (const struct stored *stored, int fd, int source)
{
  struct elf_object elf;
  if (!is_source (source, stored))
    return "the file is another one, or was changed";
  const char *problem = elfobject_read (source, &elf);
  return problem != NULL
             ? problem
             : image_compare (fd, &stored->image.note, &elf.object, source);
}

/* Return the fault of STORED, compared byte by byte with the file from which
   it was made; NULL if it has none.  */
static const char *
compare (const struct stored *stored)
{
  const char *problem;
  int source = trusted_open (stored->image.object, &problem);
  if (source < 0)
    return problem;
  int fd = open (stored->path,
                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  problem = fd < 0 ? strerror (errno) : compare_files (stored, fd, source);
  if (fd >= 0)
    close (fd);
  close (source);
  return problem;
}

size_t
store_check (const struct store *store, const char *path, objects_say *say)
{
  struct index_file index;
  size_t good = 0;
  index_file_open_path (&index, path, 0);
  for (size_t i = 0; i < store->count; ++i)
    {
      const struct stored *stored = &store->files[i];
      const char *problem = store_image_problem (stored, &index);
      if (stored->problem == NULL)
        {
          const char *bytes = compare (stored);
          problem = bytes != NULL ? bytes : problem;
        }
      if (problem == NULL)
        ++good;
      else
        say (stored->path, problem);
    }
  index_file_close (&index);
  return good;
}

/* Set PATH to the file in STORE with the name of the last image that was
   compared.  */
static bool
last_path (const struct store *store, char path[static PATH_MAX])
{
  return (snprintf (path, PATH_MAX, "%s/" LAST_NAME, store->path) < PATH_MAX);
}

/* Return the number of the first image of STORE behind the last one that was
   compared.  */
static size_t
next_image (const struct store *store)
{
  char path[PATH_MAX], name[NAME_MAX + 1] = "";
  int fd = last_path (store, path)
               ? open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
               : -1;
  if (fd >= 0)
    {
      ssize_t length = read (fd, name, NAME_MAX);
      name[length > 0 ? length : 0] = '\0';
      close (fd);
    }
  size_t i = 0;
  while (i < store->count && strcmp (store->files[i].name, name) <= 0)
    ++i;
  return i < store->count ? i : 0;
}

/* Mark STORED as wrong, for the loader and the next refresh.  */
static void
break_seal (const struct stored *stored)
{
  const struct timespec times[2]
      = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };
  utimensat (AT_FDCWD, stored->path, times, AT_SYMLINK_NOFOLLOW);
}

/* Compare STORED, and report what is wrong.  */
static bool
is_wrong (const struct stored *stored, const struct store_how *how)
{
  const char *problem = compare (stored);
  if (problem == NULL)
    return false;
  how->say (stored->path, problem);
  break_seal (stored);
  return true;
}

bool
store_verify (const struct store *store, const char *path,
              const struct store_how *how)
{
  struct index_file index;
  char last[PATH_MAX];
  size_t first = next_image (store);
  size_t share = (store->count + STORE_ROUNDS - 1) / STORE_ROUNDS;
  const struct stored *reached = NULL;
  bool wrong = false, late = false;
  index_file_open_path (&index, path, 0);
  for (size_t i = 0; i < store->count && !late; ++i)
    {
      const struct stored *stored = &store->files[(first + i) % store->count];
      bool due = i < share;
      if (stored->problem == NULL
          && (due || store_image_problem (stored, &index) != NULL))
        wrong |= is_wrong (stored, how);
      if (due)
        reached = stored;
      late = how->end != 0 && store_clock () >= how->end;
    }
  index_file_close (&index);
  if (reached != NULL && last_path (store, last))
    rewrite_file (last, reached->name);
  return wrong;
}
