/* The lines of "hugetext doctor" about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHECK_PROGRAM_H
#define CHECK_PROGRAM_H

#include "object/settings.h"

/* Check the program NAME, for SETTINGS and LOADER (NULL for the usual
   one).  */
extern void check_program (const char *name, const char *loader,
                           const struct settings *settings);

/* Whether each of PROGRAMS, NULL or a list that ends with NULL, names
   ld-hugetext.so as its loader; if so, print that.  */
extern bool check_own_loaders (char **programs);

#endif
