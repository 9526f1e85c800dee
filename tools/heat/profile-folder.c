/* A folder of profiles, one file for each build.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "heat/profile-file.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set NAME to the name of BUILD_ID's file.  */
static void
set_name (const char *build_id, char name[static NAME_MAX])
{
  snprintf (name, NAME_MAX, "%s.profile", build_id);
}

/* Read all of FD, which has STATUS, into *TEXT, which the caller frees.  */
static const char *
read_all (int fd, const struct stat *status, char **text, size_t *size)
{
  if (status->st_size > PROFILE_SIZE_MAX)
    return "it is too large";
  *size = 0;
  *text = malloc (status->st_size + 1);
  if (*text == NULL)
    return strerror (ENOMEM);
  ssize_t n;
  while (*size < (size_t) status->st_size
         && (n = read (fd, *text + *size, status->st_size - *size)) != 0)
    if (n > 0)
      *size += n;
    else if (errno != EINTR)
      return strerror (errno);
  return NULL;
}

/* Read the profile FD, whose name is BASE.  */
static const char *
read_profile (struct profile *profile, int fd, const char *base, bool trusted)
{
  struct stat status;
  char *text = NULL, name[NAME_MAX];
  size_t size;
  if (fstat (fd, &status) != 0)
    return strerror (errno);
  if (!S_ISREG (status.st_mode))
    return "it is not a regular file";
  if (trusted
      && ((status.st_uid != 0 && status.st_uid != geteuid ())
          || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0))
    return "others can write to it; must be root's, and writable by root only";
  const char *problem = read_all (fd, &status, &text, &size);
  if (problem == NULL)
    problem = profile_parse (profile, text, size);
  free (text);
  if (problem != NULL)
    return problem;
  set_name (profile->build_id, name);
  if (strcmp (name, base) == 0)
    return NULL;
  profile_free (profile);
  return "its name is not its build_id with .profile behind it";
}

const char *
profile_read (struct profile *profile, int dir, const char *name, bool trusted)
{
  const char *slash = strrchr (name, '/');
  *profile = (struct profile){ .nnames = 0 };
  int fd = openat (dir, name,
                   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    return errno == ELOOP ? "it is a link" : strerror (errno);
  const char *problem
      = read_profile (profile, fd, slash != NULL ? slash + 1 : name, trusted);
  close (fd);
  return problem;
}

bool
profile_folder (const char *folder)
{
  struct stat status;
  if (!rewrite_folder (folder) || stat (folder, &status) != 0
      || faccessat (AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
    return false;
  errno = ENOTDIR;
  return S_ISDIR (status.st_mode);
}

bool
profile_write (const struct profile *profile, const char *folder)
{
  char file[PATH_MAX], name[NAME_MAX], *text = NULL;
  size_t size;
  set_name (profile->build_id, name);
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
