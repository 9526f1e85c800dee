/* The origin of a bind-mounted file: the path of the same file in the
   directory from which it was bound.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#ifndef _DL_HUGETEXT_ORIGIN_H
#define _DL_HUGETEXT_ORIGIN_H 1

#include "dl-hugetext-names.h"

/* The size of the longest path that the functions handle, in bytes, including
   the null byte.  */
#define HUGETEXT_PATH_SIZE 256

/* Return true if the paths A and B name the same file.  */
extern bool _dl_hugetext_same_file (const char *a,
                                    const char *b) attribute_hidden;

/* If a file is bind-mounted at FILE, set PATH to the path from which this file
   was bind-mounted.  Return false if no file is bind-mounted at FILE, or if
   this process cannot see the directory from which it is mounted.  */
extern bool
_dl_hugetext_find_origin (const char *file,
                          char path[HUGETEXT_PATH_SIZE]) attribute_hidden;

#endif /* dl-hugetext-origin.h */
