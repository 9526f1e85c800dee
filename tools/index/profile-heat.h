/* The heat in the index, from the profiles in a directory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_HEAT_H
#define PROFILE_HEAT_H

#include "index/build.h"

#include <limits.h>

/* Set PATH to the folder of profiles for INDEX, a file: the system's folder
   for the system's index, else the folder "profiles" beside INDEX.  */
extern void profile_heat_path (const char *index, char path[static PATH_MAX]);

/* Set HEATS to the heats of the profiles in FOLDER whose files exist.  Wrong
   profiles are left out, and reported to SAY; a missing folder is empty.
   False with errno set if FOLDER cannot be read.  */
extern bool profile_heat_read (struct index_heats *heats, const char *folder,
                               config_say *say, void *closure);

extern void profile_heat_free (struct index_heats *heats);

#endif
