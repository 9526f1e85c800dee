/* Trusted files: the check of paths that other users named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Paths come from processes, from files that they have mapped, and from lists
   that were made of both.  Root follows them component by component.  Each
   folder and each link on the way must be root's, and only root may be able to
   change it: then no other user decides which file is opened, and no user's
   filesystem makes root wait.  The last component is looked at with a
   descriptor of kind O_PATH, which opens nothing, before it is opened.  */

#include "trust/trusted.h"
#include "trust/identity.h"
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most links in one path, as in the kernel (MAXSYMLINKS).  */
#define LINKS_MAX 40

/* The flags for opening a file after the look: if a FIFO has taken its place,
   opening must not wait, and a terminal must not become ours.  */
#define READING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

int
readable_open (const char *path, const char **problem)
{
  int fd = regular_open (path);
  *problem = fd >= 0           ? NULL
             : errno == EINVAL ? "it is not a regular file"
                               : strerror (errno);
  return fd;
}

/* A path that is being followed.  */
struct walk
{
  int folder;          /* The folder that has been reached,  */
  char rest[PATH_MAX]; /* and the rest of the path.  */
  int links;           /* Number of links so far.  */
};

/* Go on at the root directory.  */
static const char *
begin (struct walk *walk)
{
  if (walk->folder >= 0)
    close (walk->folder);
  walk->folder = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return walk->folder < 0 ? strerror (errno) : NULL;
}

/* Take the first component of WALK's rest.  */
static const char *
take (struct walk *walk, char name[static NAME_MAX + 1])
{
  const char *start = walk->rest + strspn (walk->rest, "/");
  size_t length = strcspn (start, "/");
  if (length == 0)
    return "it is not a regular file";
  if (length > NAME_MAX)
    return strerror (ENAMETOOLONG);
  memcpy (name, start, length);
  name[length] = '\0';
  start += length;
  start += strspn (start, "/");
  memmove (walk->rest, start, strlen (start) + 1);
  return NULL;
}

/* Go on where the link PLACE leads.  */
static const char *
follow (struct walk *walk, int place)
{
  char target[PATH_MAX];
  ssize_t length = readlinkat (place, "", target, sizeof target - 1);
  size_t rest = strlen (walk->rest);
  if (length < 0)
    return strerror (errno);
  if (++walk->links > LINKS_MAX)
    return strerror (ELOOP);
  if (length + 1 + rest >= sizeof walk->rest)
    return strerror (ENAMETOOLONG);
  memmove (walk->rest + length + 1, walk->rest, rest + 1);
  memcpy (walk->rest, target, length);
  walk->rest[length] = '/';
  return target[0] == '/' ? begin (walk) : NULL;
}

/* Return why users other than root may change the contents of a folder of
   STATUS; NULL if they may not.  In a folder with the sticky bit, as /tmp,
   they cannot replace root's files.  The bits of the group also serve users
   whom an ACL names (acl(5)).  */
static const char *
folder_problem (const struct stat *status)
{
  if (status->st_uid != 0)
    return "it lies in a folder that is not root's";
  if ((status->st_mode & S_ISVTX) == 0
      && (status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "it lies in a folder that others can write to";
  return NULL;
}

/* Open NAME in WALK's folder, a regular file of STATUS, as FD.  */
static const char *
open_last (const struct walk *walk, const char *name,
           const struct stat *status, int *fd)
{
  struct stat now;
  const char *problem = identity_problem (status, 0);
  if (problem != NULL)
    return problem;
  *fd = openat (walk->folder, name, READING | O_NOFOLLOW);
  if (*fd < 0 || fstat (*fd, &now) < 0)
    return strerror (errno);
  return (now.st_dev == status->st_dev && now.st_ino == status->st_ino
              ? identity_problem (&now, 0)
              : "it is being replaced");
}

/* Go one component on in WALK; set FD if it was the last.  */
static const char *
step (struct walk *walk, int *fd)
{
  struct stat status;
  char name[NAME_MAX + 1];
  const char *problem = take (walk, name);
  if (problem != NULL)
    return problem;
  int place = openat (walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0)
    return strerror (errno);
  if (fstat (place, &status) < 0)
    problem = strerror (errno);
  else if (S_ISLNK (status.st_mode))
    problem = status.st_uid == 0 ? follow (walk, place)
                                 : "a link on the way to it is not root's";
  else if (S_ISDIR (status.st_mode))
    {
      close (walk->folder);
      walk->folder = place;
      return folder_problem (&status);
    }
  else if (walk->rest[0] != '\0')
    problem = strerror (ENOTDIR);
  else
    problem = open_last (walk, name, &status, fd);
  close (place);
  return problem;
}

int
trusted_open (const char *path, const char **problem)
{
  struct walk walk = { .folder = -1 };
  int fd = -1;
  if (path[0] != '/' || strlen (path) >= sizeof walk.rest)
    {
      *problem = "it has no absolute path";
      return -1;
    }
  strcpy (walk.rest, path);
  *problem = begin (&walk);
  while (*problem == NULL && fd < 0)
    *problem = step (&walk, &fd);
  if (walk.folder >= 0)
    close (walk.folder);
  if (*problem != NULL && fd >= 0)
    {
      close (fd);
      fd = -1;
    }
  return fd;
}
