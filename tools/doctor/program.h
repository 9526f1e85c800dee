/* The lines of "hugetext doctor" about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHECK_PROGRAM_H
#define CHECK_PROGRAM_H

#include "object/settings.h"

/* Check the program NAME, for SETTINGS and LOADER (NULL: the one that is
   wanted here).  */
extern void check_program (const char *name, const char *loader,
                           const struct settings *settings);

/* Whether each of PROGRAMS, NULL or a list that ends with NULL, names
   ld-hugetext.so as its loader.  If so, say that.  */
extern bool check_own_loaders (char **programs);

#endif
