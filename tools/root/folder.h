/* Make folders that all users can reach.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>

/* Make the folder PATH, and those that it is in, if it is not there: of mode
   0755, whatever the umask is.  False with errno set if that fails.  */
extern bool folder_make (const char *path);

#endif
