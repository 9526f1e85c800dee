/* Trusted files: the check of paths that other users have named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRUSTED_H
#define TRUSTED_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* A user ID that no user has, for the unknown provider of a filesystem.  */
#define TRUSTED_UNKNOWN ((uid_t) -1)

/* A function that opens the file PATH for reading.  Returns a descriptor, or
   -1 and sets PROBLEM.  */
typedef int file_opener (const char *path, struct problem *problem);

/* The opener for files that the user may read: any regular file
   (regular.h).  */
extern file_opener readable_open;

/* The opener for root's work for other users.  It opens a regular file with an
   absolute path, if only root can write to the file and change the directories
   and links of the path.  */
extern file_opener trusted_open;

/* The conditions of trusted_find on a file and the path to it.  */
enum trust
{
  TRUST_PLACE,    /* Root trusts the filesystems (mount.h).  */
  TRUST_ROOT,     /* Only root can change the file and the path to it.  */
  TRUST_EVERYBODY /* Every user may also read the file at this path.  */
};

/* Find the regular file PATH without opening it, if it meets TRUST.  Return a
   descriptor of kind O_PATH, or -1 and set PROBLEM.  */
extern int trusted_find (const char *path, enum trust trust,
                         struct problem *problem);

/* For root, the opener for any file on a filesystem that root trusts; for
   other users it is readable_open.  */
extern file_opener placed_open;

/* Find the directory PATH as placed_open finds a file.  Return a descriptor of
   kind O_PATH, or -1 and set PROBLEM.  */
extern file_opener placed_find_directory;

/* Set REAL to PATH with symbolic links resolved, if only root can change the
   file there and the path to it.  For users other than root, call realpath.
   So no other user controls the target of a path that root has saved, and root
   waits for no filesystem that may not answer.  */
extern bool trusted_resolve (const char *path, char real[static PATH_MAX]);

/* Return the user who can keep a process waiting that looks for the file NAME
   or reads it: the owner of the first directory, link or file of the path
   that does not belong to root.  Return TRUSTED_UNKNOWN if the path first
   reaches a filesystem that root does not trust, or a directory that many
   users can write to, or 0 if no user can.  The function accesses no
   untrusted filesystem.  */
extern uid_t trusted_keeper (const char *name);

#endif
