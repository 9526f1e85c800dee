/* The heat in the index, from the profiles in a directory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_HEAT_H
#define PROFILE_HEAT_H

#include "index/build.h"

#include <limits.h>

/* Set PATH to the directory of profiles for the index file INDEX: the system's
   directory for the system's index, otherwise "profiles" beside INDEX.  */
extern void profile_heat_path (const char *index, char path[static PATH_MAX]);

/* Set HEATS to the heats of the profiles in the directory FOLDER whose files
   exist.  Skip invalid profiles, and report them to SAY; a missing directory
   is empty.  If FOLDER cannot be read, or not all of it, report this, and set
   HEATS to those in the index FILE.  */
extern void profile_heat_read (struct index_heats *heats, const char *folder,
                               const char *file, config_say *say,
                               void *closure);

extern void profile_heat_free (struct index_heats *heats);

#endif
