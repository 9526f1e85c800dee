/* Trusted files: which paths that other users named may be opened.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRUSTED_H
#define TRUSTED_H

/* Opens the file PATH for reading.  Returns a descriptor, or -1 and sets
 *PROBLEM, in static memory.  */
typedef int file_opener (const char *path, const char **problem);

/* For what the user himself may read: any regular file (regular.h).  */
extern file_opener readable_open;

/* For what root does for others: a regular file with an absolute path, if only
   root can write to it and change what is on the way to it.  */
extern file_opener trusted_open;

#endif
