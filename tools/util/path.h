/* Paths of files, found without access to the files' filesystems.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <limits.h>
#include <stdbool.h>

/* Set PATH to the absolute path of NAME, without resolving symbolic links.
   On failure set errno and return false.  */
extern bool path_absolute (const char *name, char path[static PATH_MAX]);

/* Set PATH to the path of the file FD, with symbolic links resolved.  On
   failure set errno and return false.  */
extern bool path_of (int fd, char path[static PATH_MAX]);

#endif
