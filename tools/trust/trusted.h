/* Trusted files: check paths that other users have named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRUSTED_H
#define TRUSTED_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The user ID that stands for an unknown owner or provider of a filesystem.
   No user has this ID.  */
#define TRUSTED_UNKNOWN ((uid_t) -1)

/* A function that opens the file PATH for reading.  The function returns a
   descriptor, or returns -1 and sets PROBLEM.  */
typedef int file_opener (const char *path, struct problem *problem);

/* A function that opens any regular file that the user may read
   (regular.h).  */
extern file_opener readable_open;

/* A function that opens files that root reads on behalf of other users.
   trusted_open opens a regular file at an absolute path if only root can write
   to the file, or change the directories and links in the path.  */
extern file_opener trusted_open;

/* Conditions for a file and the path to it.  */
enum trust
{
  TRUST_PLACE,    /* Root trusts all filesystems in the path (mount.h).  */
  TRUST_READABLE, /* TRUST_PLACE's condition is met, and every user may read
                     the file at the path.  */
  TRUST_ROOT,     /* Two conditions: root trusts all filesystems in the path,
                     and only root can change the file and the path to it.  */
  TRUST_EVERYBODY /* The conditions of TRUST_READABLE and TRUST_ROOT.  */
};

/* Find the regular file PATH without opening it, if it meets the conditions
   TRUST.  Return an O_PATH descriptor, or -1 with PROBLEM set.  */
extern int trusted_find (const char *path, enum trust trust,
                         struct problem *problem);

/* A function that, for root, opens any file on a filesystem that root trusts.
   For other users, placed_open is the same as readable_open.  */
extern file_opener placed_open;

/* Find the directory PATH, in the same way as placed_open finds a file.
   Return an O_PATH descriptor, or -1 with PROBLEM set.  */
extern file_opener placed_find_directory;

/* Find the directory PATH, in which the command is going to write files, and
   check that other users cannot redirect the path.  If this user is root,
   follow only symbolic links that belong to root, and only up to the first
   directory whose entries other users may be able to change, so that no user
   other than root decides where the path leads.  Unless MADE is NULL, create
   missing directories, and add their number to *MADE.  The mode of new
   directories is 0755, independent of the umask.  Return an O_PATH descriptor,
   or -1 with PROBLEM set.  */
extern int trusted_directory (const char *path, int *made,
                              struct problem *problem);

/* Set REAL to PATH with symbolic links resolved, provided that only root can
   change the file and the path.  Then other users can neither redirect the
   saved path nor make root wait for their filesystem.  If the calling process
   does not run as root, resolve PATH with realpath, without checks.  */
extern bool trusted_resolve (const char *path, char real[static PATH_MAX]);

/* Return the user who can make a process wait while it looks for the file NAME
   or reads it: the owner of the first directory, link or file in the path that
   does not belong to root.  If the path reaches a filesystem that root does
   not trust before it reaches another user's directory, link or file, return
   TRUSTED_UNKNOWN.  Also return TRUSTED_UNKNOWN if everything on the path
   belongs to root, but many users can write to a directory in the path.
   Return 0 if no user can make the process wait.  The function does not access
   untrusted filesystems.  */
extern uid_t trusted_keeper (const char *name);

#endif
