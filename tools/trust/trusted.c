/* Trusted files: the check of paths that other users named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Paths come from processes, from files that they have mapped, and from lists
   that were made of both.  Root follows them component by component.  Each
   directory and each link on the path must belong to root, and only root may
   be able to change it.  So no other user decides which file root opens.
   Before root accesses a filesystem, the kernel's table of mounts must show
   that root trusts it (mount.h).  So no user's filesystem makes root wait, and
   root opens no special file such as /proc/kmsg, whose open alone has an
   effect.  Root checks the last component by an O_PATH descriptor before it
   opens the file.

   If root makes the contents of a file readable for everybody, everybody must
   be allowed to read the file: its owner, its group, other users, and each
   user in an access control list (acl(5)).  Everybody must also be allowed to
   search the directories of the path.  */

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

/* The maximum number of links in one path, as in the kernel (MAXSYMLINKS).  */
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
  int folder;          /* The directory that has been reached.  */
  int mount;           /* The mount ID of that directory.  */
  int root;            /* The mount ID of the root directory.  */
  char rest[PATH_MAX]; /* The rest of the path.  */
  int links;           /* Number of links so far.  */
  enum trust trust;    /* The required trust.  */
  uid_t other; /* The owner of the first directory, link or file that does not
                  belong to root; TRUSTED_UNKNOWN for the provider of a
                  filesystem; 0 for none so far.  */
  bool shared; /* Other users can write to a directory of the path.  */
};

/* Continue at the root directory.  */
static const char *
begin (struct walk *walk)
{
  if (walk->folder >= 0)
    close (walk->folder);
  walk->folder = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (walk->folder < 0)
    return strerror (errno);
  /* The provider of the root directory's filesystem also controls this
     command, so trust it.  */
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

/* Continue at the target of the link PLACE.  */
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

/* Return the reason why users other than root may change the contents of a
   directory with STATUS on WALK; NULL if they may not, or if WALK does not
   require this.  In a directory with the sticky bit, such as /tmp, they cannot
   replace root's files.  The bits of the group also serve users whom an ACL
   names (acl(5)).  */
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
   PLACE of STATUS.  An access control list may have an entry that removes a
   right from one user, and its mask is also an entry.  */
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

/* Return the reason why WALK must not continue with PLACE, which has STATUS
   and is a directory if FOLDER, else the file; NULL if it may.  */
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

/* Return the reason why WALK must not access PLACE; NULL if it may.  The
   function does not access PLACE's filesystem.  */
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

/* Set STATUS to that of PLACE, and record in WALK who owns PLACE.  */
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

/* Return the reason why WALK must not end at a file with STATUS; NULL if it
   may.  */
static const char *
file_problem (const struct walk *walk, const struct stat *status)
{
  if (walk->trust >= TRUST_ROOT)
    return identity_problem (status, 0);
  return S_ISREG (status->st_mode) ? NULL : "it is not a regular file";
}

/* Advance WALK by one component.  If it was the last, set FILE to its O_PATH
   descriptor.  */
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

/* Begin WALK to PATH.  Return NULL, or the reason why WALK cannot begin.  */
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

/* Follow PATH to a file or directory that meets TRUST.  Return an O_PATH
   descriptor, or -1 with PROBLEM set.  */
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
  /* A user who may write to a directory can put any file there, even
     later.  */
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

/* Open PATH for reading, if it meets TRUST.  */
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
