/* The places in which the system's loader looks for libraries.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIBSEARCH_H
#define LIBSEARCH_H

#include "trust/trusted.h"

#include <limits.h>

/* Each of these sets PATH to where it has found a library NAME of this kind of
   machine, opened by OPENER, and returns a descriptor of it, or -1.  */

/* In the folders of LIST, with ":" between them, as RPATH and RUNPATH have
   them in an object that lies in the folder ORIGIN.  */
extern int libsearch_list (const char *list, const char *origin,
                           const char *name, file_opener *opener,
                           char path[static PATH_MAX]);

/* NAME itself, which has a slash.  */
extern int libsearch_path (const char *name, const char *origin,
                           file_opener *opener, char path[static PATH_MAX]);

/* In ldconfig's cache, and in the folders that every program has.  */
extern int libsearch_system (const char *name, file_opener *opener,
                             char path[static PATH_MAX]);

#endif
