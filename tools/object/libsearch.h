/* The places in which the system's loader looks for libraries.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIBSEARCH_H
#define LIBSEARCH_H

#include "trust/trusted.h"

#include <limits.h>

/* Each function searches for a library NAME of this kind of machine, opens it
   by OPENER, sets PATH and returns a descriptor, or -1.  */

/* Search in the folders of LIST, with ":" between them, as RPATH and RUNPATH
   have them in an object in the folder ORIGIN.  */
extern int libsearch_list (const char *list, const char *origin,
                           const char *name, file_opener *opener,
                           char path[static PATH_MAX]);

/* Open NAME itself, which has a slash.  */
extern int libsearch_path (const char *name, const char *origin,
                           file_opener *opener, char path[static PATH_MAX]);

/* Search in ldconfig's cache, and in the folders that every program has.  */
extern int libsearch_system (const char *name, file_opener *opener,
                             char path[static PATH_MAX]);

#endif
