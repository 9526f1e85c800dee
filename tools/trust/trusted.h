/* Trusted files: the check of paths that other users named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRUSTED_H
#define TRUSTED_H

/* A function that opens the file PATH for reading.  Returns a descriptor, or
   -1 and sets *PROBLEM, in static memory.  */
typedef int file_opener (const char *path, const char **problem);

/* The opener for files that the user may read: any regular file
   (regular.h).  */
extern file_opener readable_open;

/* The opener for root's work for other users: a regular file with an absolute
   path, if only root can write to it and change the folders and links on the
   way to it.  */
extern file_opener trusted_open;

#endif
