/* The origin of a mounted file: the directory that it was bound from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_ORIGIN_H
#define _DL_HUGETEXT_ORIGIN_H 1

#include "dl-hugetext-names.h"

/* The size of a path, its end included.  Longer ones are not found.  */
#define HUGETEXT_PATH_SIZE 256

/* Whether the paths A and B lead to the same file.  */
extern bool _dl_hugetext_same_file (const char *a,
                                    const char *b) attribute_hidden;

/* Set PATH to that of the file that is mounted at FILE, in the directory that
   it was mounted from.  False if no file is mounted there, or if this process
   does not see that directory.  */
extern bool
_dl_hugetext_find_origin (const char *file,
                          char path[HUGETEXT_PATH_SIZE]) attribute_hidden;

#endif /* dl-hugetext-origin.h */
