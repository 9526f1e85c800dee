/* Paths of files, without a question to a filesystem.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_PATH_H
#define UTIL_PATH_H

#include <limits.h>
#include <stdbool.h>

/* Set PATH to NAME as a path from the root directory; links stay.  False with
   errno set.  */
extern bool path_absolute (const char *name, char path[static PATH_MAX]);

/* Set PATH to the path of the file that is open as FD, without links.  False
   with errno set.  */
extern bool path_of (int fd, char path[static PATH_MAX]);

#endif
