/* Trusted files: check paths that other users have named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   Root gets paths from processes of other users, from their mapped files, and
   from lists of paths.  Another user may have chosen a path to trick root, so
   root follows each path one component at a time.  Each directory and each
   link in the path must belong to root, and no other user may be able to
   change the directory or link, so that only root decides which file root
   opens.  Before root accesses a filesystem, the kernel's table of mounts must
   show that root trusts the filesystem (mount.h), so that no filesystem of
   another user can block root.  Root does not open special files such as
   /proc/kmsg, because merely opening one can have an effect.  To avoid special
   files, root opens the last component with O_PATH, and checks it before
   opening the file itself.

   If the caller wants to write to a path, root also follows the path one
   component at a time, but root enters directories of other users, on any
   filesystem.  After the first directory of another user, root follows no
   links, no matter who owns them, because users can rename or replace what is
   in their directories.  Only root can mount filesystems where hugetext's own
   directories are, so a filesystem there may be mounted with nosuid.

   If root is going to make the contents of a file readable for everybody,
   everybody must already be allowed to read the file and to search the
   directories in its path.  "Everybody" means the owner, the group, other
   users, and each user in an access control list (acl(5)).  */

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
readable_open (const char *path, struct problem *problem)
{
  int fd = regular_open (path);
  if (fd < 0)
    regular_problem (problem, errno);
  return fd;
}

/* The state of following a path.  */
struct walk
{
  int directory;       /* A descriptor of the directory that has been
                       reached.  */
  int mount;           /* The mount ID of the directory that has been
                          reached.  */
  int root;            /* The mount ID of the root directory.  */
  char rest[PATH_MAX]; /* The rest of the path, which has not been followed
                          yet.  */
  int links;           /* The number of links that have been followed.  */
  enum trust trust;    /* The conditions that the file and the directories on
                          its path must meet.  */
  uid_t other;  /* The owner of the first directory, link or file that does not
                   belong to root.  The member OTHER is TRUSTED_UNKNOWN if the
                   walk ends at a filesystem that root does not trust, and
                   everything before it belongs to root.  The member OTHER is 0
                   if everything in the path so far belongs to root, on
                   filesystems that root trusts.  */
  bool shared;  /* True if other users can write to a directory in the
                   path.  */
  bool foreign; /* True if other users may be able to change the entries of a
                   directory in the path.  Of all functions, only
                   trusted_directory sets this member.  */
  bool entered; /* True if the walk has entered a directory after FOREIGN was
                   set.  Other users may be able to move the entered
                   directory, so that ".." may lead anywhere.  */
  bool own;     /* True if the path leads to one of hugetext's own directories,
                   and no link in it has been followed yet.  Of all functions,
                   only trusted_directory sets this member.  */
  bool missing; /* True if a component of the path does not exist.  */
  struct problem unfit; /* The problem with the first directory in the path
                           that does not meet the conditions.  The walk
                           continues after such a directory, because a missing
                           file is then reported as the problem (arrive).  */
  int kept[4]; /* The IDs of mounts that root trusts, even if they have the
                  option nosuid, because they are on the path to one of
                  hugetext's own directories (is_on_own_mount).  */
  int keeps;   /* The number of mounts in the array KEPT.  */
};

/* Continue at the root directory.  */
static bool
trusted_begin_at_root (struct walk *walk, struct problem *problem)
{
  if (walk->directory >= 0)
    close (walk->directory);
  walk->directory = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (walk->directory < 0)
    return problem_system (problem, errno);
  /* Trust the filesystem of the root directory, because the provider of this
     filesystem controls this command in any case.  */
  walk->mount = walk->root = mount_number (walk->directory);
  return walk->mount >= 0
         || problem_set (
             problem, "/proc does not show on which filesystem the file is");
}

/* Move the first component of WALK's remaining path to NAME.  */
static bool
trusted_take_component (struct walk *walk, char name[static NAME_MAX + 1],
                        struct problem *problem)
{
  const char *start = walk->rest + strspn (walk->rest, "/");
  size_t length = strcspn (start, "/");
  if (length == 0)
    return problem_set (problem, "the file is not a regular file");
  if (length > NAME_MAX)
    return problem_system (problem, ENAMETOOLONG);
  memcpy (name, start, length);
  name[length] = '\0';
  start += length;
  start += strspn (start, "/");
  memmove (walk->rest, start, strlen (start) + 1);
  return true;
}

/* Continue at the target of the symbolic link PLACE.  */
static bool
trusted_follow_link (struct walk *walk, int place, struct problem *problem)
{
  char target[PATH_MAX];
  ssize_t length = readlinkat (place, "", target, sizeof target - 1);
  size_t rest = strlen (walk->rest);
  if (length < 0)
    return problem_system (problem, errno);
  if (++walk->links > LINKS_MAX)
    return problem_system (problem, ELOOP);
  if (length + 1 + rest >= sizeof walk->rest)
    return problem_system (problem, ENAMETOOLONG);
  memmove (walk->rest + length + 1, walk->rest, rest + 1);
  memcpy (walk->rest, target, length);
  walk->rest[length] = '/';
  return target[0] != '/' || trusted_begin_at_root (walk, problem);
}

/* Return false and set PROBLEM if users other than root may be able to replace
   the entries of a directory on WALK's path.  STATUS is the status of the
   directory.  In a directory with the sticky bit, such as /tmp, other users
   cannot replace root's files.  The mode bits of the group also stand for
   users in an access control list (acl(5)).  */
static bool
check_directory (const struct walk *walk, const struct stat *status,
                 struct problem *problem)
{
  if (walk->trust < TRUST_ROOT)
    return true;
  if (status->st_uid != 0)
    return problem_set_fault (
        problem, FAULT_WRITERS,
        "the file is in a directory that does not belong to root");
  if ((status->st_mode & S_ISVTX) == 0
      && (status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return problem_set_fault (
        problem, FAULT_WRITERS,
        "the file is in a directory to which other users can write");
  return true;
}

/* An entry of an access control list, in the kernel's format (acl(5)).  */
struct acl_entry
{
  uint16_t tag, rights;
  uint32_t id;
};

/* Return true if all users have RIGHT (4 to read, 1 to execute) for the file
   or directory PLACE, whose status is STATUS.  An access control list may
   contain an entry that removes a right of one user; the mask of the list is
   also an entry.  */
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

/* Return false and set PROBLEM if WALK must not continue with PLACE, whose
   status is STATUS.  PLACE is a directory if DIRECTORY is true, otherwise a
   file.  */
static bool
check_readers (const struct walk *walk, int place, const struct stat *status,
               bool directory, struct problem *problem)
{
  if ((walk->trust != TRUST_READABLE && walk->trust != TRUST_EVERYBODY)
      || has_everybody (place, status, directory ? 1 : 4))
    return true;
  return problem_set_fault (
      problem, FAULT_READERS,
      directory ? "the file is in a directory that not every user may search"
                : "not every user may read the file");
}

/* Return false and set PROBLEM if WALK must not access PLACE.  This function
   does not access PLACE's filesystem.  */
static bool
trusted_may_enter (struct walk *walk, int place, struct problem *problem)
{
  const int number = mount_number (place);
  bool good = number == walk->mount || number == walk->root
              || mount_check (place, number, problem);
  walk->mount = number;
  if (!good && walk->other == 0)
    walk->other = TRUSTED_UNKNOWN;
  return good;
}

/* Set STATUS to the file status of PLACE, and note in WALK who owns
   PLACE.  */
static bool
trusted_read_status (struct walk *walk, int place, struct stat *status)
{
  if (fstat (place, status) < 0)
    return false;
  if (walk->other == 0)
    walk->other = status->st_uid;
  walk->shared |= (S_ISDIR (status->st_mode)
                   && (status->st_mode & (S_IWGRP | S_IWOTH)) != 0);
  return true;
}

/* Return false and set PROBLEM if WALK must not end at a file with the status
   STATUS.  */
static bool
check_file (const struct walk *walk, const struct stat *status,
            struct problem *problem)
{
  if (walk->trust >= TRUST_ROOT)
    return identity_check (status, 0, problem);
  return S_ISREG (status->st_mode)
         || problem_set (problem, "the file is not a regular file");
}

/* Let WALK follow one more component.  After the last component of the path,
   set FILE to an O_PATH descriptor of the file.  */
static bool
step (struct walk *walk, int *file, struct problem *problem)
{
  struct stat status;
  char name[NAME_MAX + 1];
  if (!trusted_take_component (walk, name, problem))
    return false;
  int place = openat (walk->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0)
    {
      walk->missing = errno == ENOENT;
      return problem_system (problem, errno);
    }
  bool good = trusted_may_enter (walk, place, problem);
  if (!good)
    ;
  else if (!trusted_read_status (walk, place, &status))
    good = problem_system (problem, errno);
  else if (S_ISLNK (status.st_mode))
    good = walk->trust < TRUST_ROOT || status.st_uid == 0
               ? trusted_follow_link (walk, place, problem)
               : problem_set_fault (problem, FAULT_WRITERS,
                                    "a symbolic link on the path does not"
                                    " belong to root");
  else if (S_ISDIR (status.st_mode))
    {
      close (walk->directory);
      walk->directory = place;
      if (!problem_is (&walk->unfit)
          && check_directory (walk, &status, &walk->unfit))
        check_readers (walk, place, &status, true, &walk->unfit);
      return true;
    }
  else if (walk->rest[0] != '\0')
    good = problem_system (problem, ENOTDIR);
  else
    good = check_file (walk, &status, problem)
           && check_readers (walk, place, &status, false, problem);
  if (good && !S_ISLNK (status.st_mode))
    *file = place;
  else
    close (place);
  return good;
}

/* WALK has ended at PLACE, or failed with PROBLEM if PLACE is -1.  Return
   PLACE if all directories in the path meet the conditions that WALK's member
   TRUST names.  If a directory in the path does not meet the conditions, close
   PLACE and return -1.  If the path does not exist, PROBLEM already says so.
   Otherwise set PROBLEM to the problem with the first directory that does not
   meet the conditions.  */
static int
arrive (const struct walk *walk, int place, struct problem *problem)
{
  if (!problem_is (&walk->unfit))
    return place;
  if (place >= 0)
    close (place);
  if (!walk->missing)
    *problem = walk->unfit;
  return -1;
}

/* Initialize WALK for PATH.  Return false if WALK cannot begin at PATH.  */
static bool
begin_to (struct walk *walk, const char *path, struct problem *problem)
{
  if (path[0] != '/' || strlen (path) >= sizeof walk->rest)
    return problem_set (problem, "the path is not absolute");
  strcpy (walk->rest, path);
  return trusted_begin_at_root (walk, problem);
}

int
trusted_find (const char *path, enum trust trust, struct problem *problem)
{
  struct walk walk = { .directory = -1, .trust = trust };
  int file = -1;
  bool good = begin_to (&walk, path, problem);
  while (good && file < 0)
    good = step (&walk, &file, problem);
  if (walk.directory >= 0)
    close (walk.directory);
  return arrive (&walk, file, problem);
}

/* Follow PATH to a file or directory with WALK, which has not begun yet.  Set
   DIRECTORY to true if PATH leads to a directory, otherwise to false.  Return
   an O_PATH descriptor, or -1 with PROBLEM set.  */
static int
walk_to_any (struct walk *walk, const char *path, bool *directory,
             struct problem *problem)
{
  int file = -1;
  bool good = begin_to (walk, path, problem);
  while (good && file < 0 && walk->rest[strspn (walk->rest, "/")] != '\0')
    good = step (walk, &file, problem);
  *directory = file < 0;
  if (good && file < 0)
    return arrive (walk, walk->directory, problem);
  if (walk->directory >= 0)
    close (walk->directory);
  return arrive (walk, file, problem);
}

/* Follow PATH to a file or directory that meets the conditions TRUST.  Return
   an O_PATH descriptor, or -1 with PROBLEM set.  */
static int
find_any (const char *path, enum trust trust, bool *directory,
          struct problem *problem)
{
  struct walk walk = { .directory = -1, .trust = trust };
  return walk_to_any (&walk, path, directory, problem);
}

uid_t
trusted_keeper (const char *name)
{
  struct walk walk = { .directory = -1, .trust = TRUST_PLACE };
  char path[PATH_MAX];
  struct problem problem;
  bool directory;
  if (!path_absolute (name, path))
    return TRUSTED_UNKNOWN;
  const int fd = walk_to_any (&walk, path, &directory, &problem);
  if (fd >= 0)
    close (fd);
  /* A user who may write to a directory on the path can put any file there at
     any time.  */
  return walk.other != 0 ? walk.other : walk.shared ? TRUSTED_UNKNOWN : 0;
}

int
placed_find_directory (const char *path, struct problem *problem)
{
  bool directory;
  if (geteuid () != 0)
    {
      int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (fd < 0)
        problem_system (problem, errno);
      return fd;
    }
  int fd = find_any (path, TRUST_PLACE, &directory, problem);
  if (fd < 0 || directory)
    return fd;
  close (fd);
  problem_system (problem, ENOTDIR);
  return -1;
}

bool
trusted_resolve (const char *path, char real[static PATH_MAX])
{
  struct problem problem;
  bool directory;
  if (geteuid () != 0)
    return realpath (path, real) != NULL;
  const int fd = find_any (path, TRUST_ROOT, &directory, &problem);
  const bool good = fd >= 0 && path_of (fd, real);
  if (fd >= 0)
    close (fd);
  return good;
}

/* Open PATH for reading if it meets the conditions TRUST.  */
static int
open_as (const char *path, enum trust trust, struct problem *problem)
{
  int file = trusted_find (path, trust, problem);
  int fd = file >= 0 ? regular_reopen (file, 0) : -1;
  if (file >= 0 && fd < 0)
    problem_system (problem, errno);
  return fd;
}

int
trusted_open (const char *path, struct problem *problem)
{
  return open_as (path, TRUST_ROOT, problem);
}

int
placed_open (const char *path, struct problem *problem)
{
  return geteuid () == 0 ? open_as (path, TRUST_PLACE, problem)
                         : readable_open (path, problem);
}

/* Return true if PATH leads to one of hugetext's own directories.  */
static bool
trusted_is_own_directory (const char *path)
{
  static const char *const places[] = { INDEX_PATH, STATE_PATH "/" };
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
    {
      const size_t length = strrchr (places[i], '/') - places[i];
      if (length > 0 && strncmp (path, places[i], length) == 0
          && (path[length] == '/' || path[length] == '\0'))
        return strstr (path + length, "..") == NULL;
    }
  return false;
}

/* Return true if the path of WALK leads to one of hugetext's own directories,
   and if root trusts the mount that contains the directory reached so far
   (mount_check_own).  Also return true if WALK has already passed through the
   mount and comes back to it through a symbolic link.  */
static bool
is_on_own_mount (struct walk *walk)
{
  enum
  {
    KEPT_MOST = sizeof walk->kept / sizeof walk->kept[0],
  };
  for (int i = 0; i < walk->keeps; ++i)
    if (walk->kept[i] == walk->mount)
      return true;
  if (!walk->own || walk->keeps == KEPT_MOST
      || !mount_check_own (walk->directory, walk->mount))
    return false;
  walk->kept[walk->keeps++] = walk->mount;
  return true;
}

/* Note in WALK whether other users may be able to put a link into the
   directory that the walk has reached.  In a directory with the sticky bit,
   other users cannot change a link that belongs to root; but other users can
   move a link of root's from a directory of theirs into the directory with the
   sticky bit.  */
static void
note_foreign (struct walk *walk)
{
  struct problem ignored;
  struct stat status;
  const bool trusted = trusted_may_enter (walk, walk->directory, &ignored);
  walk->foreign
      |= ((!trusted && !is_on_own_mount (walk))
          || fstat (walk->directory, &status) < 0 || status.st_uid != 0
          || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0);
}

/* Let WALK go on to the directory PLACE.  */
static void
descend (struct walk *walk, int place)
{
  close (walk->directory);
  walk->directory = place;
  note_foreign (walk);
}

/* Begin WALK to the directory PATH, which may be relative.  */
static bool
begin_directory (struct walk *walk, const char *path, struct problem *problem)
{
  if (path[0] == '\0' || strlen (path) >= sizeof walk->rest)
    return problem_system (problem, path[0] == '\0' ? ENOENT : ENAMETOOLONG);
  strcpy (walk->rest, path);
  walk->own = trusted_is_own_directory (path);
  /* Without /proc, as in a new chroot, the path must not contain links.  */
  walk->foreign = !trusted_begin_at_root (walk, problem);
  if (walk->directory < 0)
    return false;
  if (path[0] == '/')
    return true;
  const int here = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (here < 0)
    return problem_system (problem, errno);
  descend (walk, here);
  return true;
}

/* Create the directory NAME in the directory DIRECTORY.  Do not use chmod:
   another user may have replaced the new directory.  */
static bool
make_directory (int directory, const char *name, int *made)
{
  const mode_t mask = umask (022);
  const bool good = mkdirat (directory, name, 0755) == 0;
  umask (mask);
  *made += good;
  return good || errno == EEXIST;
}

/* Open NAME in the directory DIRECTORY.  If this process runs as root and NAME
   is a symbolic link, open the link itself.  For other users, let the kernel
   follow links.  Use O_DIRECTORY, with which open accepts only directories and
   mounts automounted filesystems.  */
static int
open_component (int directory, const char *name)
{
  const int flags = O_PATH | O_CLOEXEC | (geteuid () == 0 ? O_NOFOLLOW : 0);
  const int place = openat (directory, name, flags | O_DIRECTORY);
  return place < 0 && errno == ENOTDIR ? openat (directory, name, flags)
                                       : place;
}

/* Follow one more component of the path of the directory to which WALK leads.
   If the directory does not exist, create it, unless MADE is NULL.  */
static bool
step_directory (struct walk *walk, int *made, struct problem *problem)
{
  char name[NAME_MAX + 1];
  struct stat status;
  if (!trusted_take_component (walk, name, problem))
    return false;
  const bool up = strcmp (name, "..") == 0;
  if (up && walk->entered && geteuid () == 0)
    return problem_set (problem, "the path has \"..\" after a directory that "
                                 "another user may move; use a path without "
                                 "\"..\"");
  int place = open_component (walk->directory, name);
  if (place < 0 && errno == ENOENT && made != NULL
      && make_directory (walk->directory, name, made))
    place = open_component (walk->directory, name);
  if (place < 0)
    return problem_system (problem, errno);
  bool good = fstat (place, &status) == 0 || problem_system (problem, errno);
  walk->own &= good && S_ISDIR (status.st_mode);
  if (good && S_ISDIR (status.st_mode))
    {
      descend (walk, place);
      walk->entered |= walk->foreign && !up;
      return true;
    }
  if (good && !S_ISLNK (status.st_mode))
    good = problem_system (problem, ENOTDIR);
  else if (good)
    good = (!walk->foreign && status.st_uid == 0
                ? trusted_follow_link (walk, place, problem)
                : problem_set (problem,
                               "other users may be able to change a symbolic "
                               "link in the path; name the directory to which "
                               "it leads"));
  close (place);
  return good;
}

int
trusted_directory (const char *path, int *made, struct problem *problem)
{
  struct walk walk = { .directory = -1 };
  bool good = begin_directory (&walk, path, problem);
  while (good && walk.rest[strspn (walk.rest, "/")] != '\0')
    good = step_directory (&walk, made, problem);
  if (good)
    return walk.directory;
  if (walk.directory >= 0)
    close (walk.directory);
  return -1;
}
