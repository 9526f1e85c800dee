/* Trusted files: the check of paths that other users named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Paths come from processes, from files that they have mapped, and from lists
   that were made of both.  Root follows them component by component.  Each
   folder and each link on the way must be root's, and only root may be able to
   change it: then no other user decides which file is opened.  Before a
   filesystem is asked anything, the kernel's table of mounts must say that
   root trusts it (mount.h): then no user's filesystem makes root wait, and
   root opens no file of a special kind, as /proc/kmsg, for which opening alone
   has an effect.  The last component is looked at with a descriptor of kind
   O_PATH, which opens nothing, before it is opened.

   Where the contents of a file are made readable for everybody, everybody must
   be allowed to read the file: its owner, its group, other users, and whoever
   is named in an access control list (acl(5)).  The same goes for entering the
   folders on the way.  */

#include "trust/trusted.h"
#include "trust/identity.h"
#include "trust/mount.h"
#include "util/path.h"
#include "util/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The most links in one path, as in the kernel (MAXSYMLINKS).  */
#define LINKS_MAX 40

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
  int mount;           /* the number of its mount,  */
  int root;            /* and of the root directory's,  */
  char rest[PATH_MAX]; /* and the rest of the path.  */
  int links;           /* Number of links so far.  */
  enum trust trust;    /* What is asked.  */
  uid_t other; /* The owner of the first place that is not root's, or the
                  unknown provider of a filesystem; 0 for none so far.  */
  bool shared; /* A folder on the way is one that others can write to.  */
};

/* Go on at the root directory.  */
static const char *
begin (struct walk *walk)
{
  if (walk->folder >= 0)
    close (walk->folder);
  walk->folder = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (walk->folder < 0)
    return strerror (errno);
  /* Who provides the root directory's filesystem has this command, too.  */
  walk->mount = walk->root = mount_number (walk->folder);
  return walk->mount < 0
             ? "/proc does not tell on which filesystem the file is"
             : NULL;
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
   STATUS on WALK; NULL if they may not, or if nobody asks.  In a folder with
   the sticky bit, as /tmp, they cannot replace root's files.  The bits of the
   group also serve users whom an ACL names (acl(5)).  */
static const char *
folder_problem (const struct walk *walk, const struct stat *status)
{
  if (walk->trust < TRUST_ROOT)
    return NULL;
  if (status->st_uid != 0)
    return "the file is in a directory that does not belong to root";
  if ((status->st_mode & S_ISVTX) == 0
      && (status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "the file is in a directory to which other users can write";
  return NULL;
}

/* An entry of an access control list as the kernel gives it (acl(5)).  */
struct acl_entry
{
  uint16_t tag, rights;
  uint32_t id;
};

/* Whether all users have RIGHT, 4 (read) or 1 (execute), to the file or folder
   PLACE of STATUS.  A list may have an entry that takes a right from one user;
   its mask is an entry, too.  */
static bool
has_everybody (int place, const struct stat *status, mode_t right)
{
  const mode_t all = right << 6 | right << 3 | right;
  struct
  {
    uint32_t version;
    struct acl_entry entry[128];
  } acl;
  char path[64];
  if ((status->st_mode & all) != all)
    return false;
  snprintf (path, sizeof path, "/proc/self/fd/%d", place);
  ssize_t size = getxattr (path, "system.posix_acl_access", &acl, sizeof acl);
  if (size < 0)
    return errno == ENODATA || errno == ENOTSUP;
  for (size_t i = 0;
       i < (size - sizeof acl.version) / sizeof (struct acl_entry); ++i)
    if ((acl.entry[i].rights & right) == 0)
      return false;
  return true;
}

/* Return why WALK must not go on with PLACE, of STATUS, which is a FOLDER or
   the file; NULL if it may.  */
static const char *
secret_problem (const struct walk *walk, int place, const struct stat *status,
                bool folder)
{
  if (walk->trust < TRUST_EVERYBODY
      || has_everybody (place, status, folder ? 1 : 4))
    return NULL;
  return folder ? "the file is in a directory that not every user may search"
                : "not every user may read the file";
}

/* Return why WALK must not look at PLACE, NULL if it may.  Nothing has been
   asked of PLACE's filesystem yet.  */
static const char *
enter (struct walk *walk, int place)
{
  const int number = mount_number (place);
  const char *problem = number == walk->mount || number == walk->root
                            ? NULL
                            : mount_problem (place, number);
  walk->mount = number;
  if (problem != NULL && walk->other == 0)
    walk->other = TRUSTED_UNKNOWN;
  return problem;
}

/* Set STATUS to that of PLACE, and note in WALK whose it is.  */
static bool
look (struct walk *walk, int place, struct stat *status)
{
  if (fstat (place, status) < 0)
    return false;
  if (walk->other == 0)
    walk->other = status->st_uid;
  walk->shared |= (S_ISDIR (status->st_mode)
                   && (status->st_mode & (S_IWGRP | S_IWOTH)) != 0);
  return true;
}

/* Return why WALK must not end at a file of STATUS, NULL if it may.  */
static const char *
file_problem (const struct walk *walk, const struct stat *status)
{
  if (walk->trust >= TRUST_ROOT)
    return identity_problem (status, 0);
  return S_ISREG (status->st_mode) ? NULL : "it is not a regular file";
}

/* Go one component on in WALK; set FILE to it, a descriptor of kind O_PATH, if
   it was the last.  */
static const char *
step (struct walk *walk, int *file)
{
  struct stat status;
  char name[NAME_MAX + 1];
  const char *problem = take (walk, name);
  if (problem != NULL)
    return problem;
  int place = openat (walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0)
    return strerror (errno);
  if ((problem = enter (walk, place)) != NULL)
    ;
  else if (!look (walk, place, &status))
    problem = strerror (errno);
  else if (S_ISLNK (status.st_mode))
    problem = walk->trust < TRUST_ROOT || status.st_uid == 0
                  ? follow (walk, place)
                  : "a symbolic link on the path does not belong to root";
  else if (S_ISDIR (status.st_mode))
    {
      close (walk->folder);
      walk->folder = place;
      problem = folder_problem (walk, &status);
      return problem != NULL ? problem
                             : secret_problem (walk, place, &status, true);
    }
  else if (walk->rest[0] != '\0')
    problem = strerror (ENOTDIR);
  else if ((problem = file_problem (walk, &status)) == NULL
           && (problem = secret_problem (walk, place, &status, false)) == NULL)
    {
      *file = place;
      return NULL;
    }
  close (place);
  return problem;
}

/* Begin WALK to PATH.  Return NULL, or why there is no way.  */
static const char *
begin_to (struct walk *walk, const char *path)
{
  if (path[0] != '/' || strlen (path) >= sizeof walk->rest)
    return "the path is not absolute";
  strcpy (walk->rest, path);
  return begin (walk);
}

int
trusted_find (const char *path, enum trust trust, const char **problem)
{
  struct walk walk = { .folder = -1, .trust = trust };
  int file = -1;
  *problem = begin_to (&walk, path);
  while (*problem == NULL && file < 0)
    *problem = step (&walk, &file);
  if (walk.folder >= 0)
    close (walk.folder);
  return file;
}

/* Follow PATH by WALK, which has not begun, to a file or folder.  Return a
   descriptor of kind O_PATH, or -1 with PROBLEM set.  */
static int
walk_to_any (struct walk *walk, const char *path, bool *folder,
             const char **problem)
{
  int file = -1;
  *problem = begin_to (walk, path);
  while (*problem == NULL && file < 0
         && walk->rest[strspn (walk->rest, "/")] != '\0')
    *problem = step (walk, &file);
  *folder = file < 0;
  if (*problem == NULL && file < 0)
    return walk->folder;
  if (walk->folder >= 0)
    close (walk->folder);
  return file;
}

/* Likewise, to what is as TRUST asks.  */
static int
find_any (const char *path, enum trust trust, bool *folder,
          const char **problem)
{
  struct walk walk = { .folder = -1, .trust = trust };
  return walk_to_any (&walk, path, folder, problem);
}

uid_t
trusted_keeper (const char *name)
{
  struct walk walk = { .folder = -1, .trust = TRUST_PLACE };
  char path[PATH_MAX];
  const char *problem;
  bool folder;
  if (!path_absolute (name, path))
    return TRUSTED_UNKNOWN;
  const int fd = walk_to_any (&walk, path, &folder, &problem);
  if (fd >= 0)
    close (fd);
  /* Who may write to a folder may put there what he likes, later, too.  */
  return walk.other != 0 ? walk.other : walk.shared ? TRUSTED_UNKNOWN : 0;
}

int
placed_find_directory (const char *path, const char **problem)
{
  bool folder;
  if (geteuid () != 0)
    {
      int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
      *problem = fd < 0 ? strerror (errno) : NULL;
      return fd;
    }
  int fd = find_any (path, TRUST_PLACE, &folder, problem);
  if (fd < 0 || folder)
    return fd;
  close (fd);
  *problem = strerror (ENOTDIR);
  return -1;
}

bool
trusted_resolve (const char *path, char real[static PATH_MAX])
{
  const char *problem;
  bool folder;
  if (geteuid () != 0)
    return realpath (path, real) != NULL;
  const int fd = find_any (path, TRUST_ROOT, &folder, &problem);
  const bool good = fd >= 0 && path_of (fd, real);
  if (fd >= 0)
    close (fd);
  return good;
}

/* Open PATH for reading, if it is as TRUST asks.  */
static int
open_as (const char *path, enum trust trust, const char **problem)
{
  int file = trusted_find (path, trust, problem);
  int fd = file >= 0 ? regular_reopen (file, 0) : -1;
  if (file >= 0 && fd < 0)
    *problem = strerror (errno);
  return fd;
}

int
trusted_open (const char *path, const char **problem)
{
  return open_as (path, TRUST_ROOT, problem);
}

int
placed_open (const char *path, const char **problem)
{
  return geteuid () == 0 ? open_as (path, TRUST_PLACE, problem)
                         : readable_open (path, problem);
}
