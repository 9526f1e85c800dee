/* The folder of profiles, one file for each build.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "heat/profile.h"
#include "object/elfhead.h"
#include "trust/rewrite.h"
#include "util/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *
profile_build_id (int fd, char build_id[static 2 * PROFILE_BUILD_ID_MAX + 1])
{
  struct elf_head head;
  unsigned char id[PROFILE_BUILD_ID_MAX];
  uint32_t type = NT_GNU_BUILD_ID;
  build_id[0] = '\0';
  if (elfhead_read (fd, &head) != NULL)
    return "it is not an ELF file that can be read";
  size_t size = elfhead_note (fd, &head, "GNU", &type, id, sizeof id);
  elfhead_free (&head);
  if (size < PROFILE_BUILD_ID_MIN || size > sizeof id)
    return "it has no build ID: link it with -Wl,--build-id";
  for (size_t i = 0; i < size; ++i)
    sprintf (build_id + 2 * i, "%02x", id[i]);
  return NULL;
}

/* Set NAME to the name of PROFILE's file.  */
static void
set_name (const struct profile *profile, char name[static NAME_MAX])
{
  snprintf (name, NAME_MAX, "%s.profile", profile->build_id);
}

/* Parse the file FD, which has STATUS.  */
static const char *
read_text (struct profile *profile, int fd, const struct stat *status)
{
  if (status->st_size > PROFILE_SIZE_MAX)
    return "it is too large";
  char *text = allocate (status->st_size + 1);
  ssize_t n = pread (fd, text, status->st_size, 0);
  const char *problem
      = n < 0 ? strerror (errno) : profile_parse (profile, text, n);
  free (text);
  return problem;
}

/* Read the profile FD, whose name is BASE.  */
static const char *
read_profile (struct profile *profile, int fd, const char *base)
{
  struct stat status;
  char name[NAME_MAX];
  if (fstat (fd, &status) != 0)
    return strerror (errno);
  if (!S_ISREG (status.st_mode))
    return "it is not a regular file";
  if ((status.st_uid != 0 && status.st_uid != geteuid ())
      || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "others can write to it; must be root's, and writable by root only";
  const char *problem = read_text (profile, fd, &status);
  if (problem != NULL)
    return problem;
  set_name (profile, name);
  if (strcmp (name, base) == 0)
    return NULL;
  profile_free (profile);
  return "its name is not its build_id with .profile behind it";
}

const char *
profile_read (struct profile *profile, int dir, const char *name)
{
  *profile = (struct profile){ .nnames = 0 };
  int fd = openat (dir, name,
                   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    return errno == ELOOP ? "it is a link" : strerror (errno);
  const char *problem = read_profile (profile, fd, name);
  close (fd);
  errno = 0;
  return problem;
}

int
profile_folder (const char *folder)
{
  if (!rewrite_folder (folder, NULL)
      || faccessat (AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
    return -1;
  return open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool
profile_write (const struct profile *profile, const char *folder)
{
  char file[PATH_MAX], name[NAME_MAX], *text = NULL;
  size_t size;
  set_name (profile, name);
  if (snprintf (file, sizeof file, "%s/%s", folder, name) >= PATH_MAX)
    {
      errno = ENAMETOOLONG;
      return false;
    }
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return false;
  profile_print (stream, profile);
  bool good = fclose (stream) == 0 && rewrite_data (file, text, size);
  free (text);
  return good;
}
