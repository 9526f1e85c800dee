/* The heat for the index, computed from the profiles in a directory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_HEAT_H
#define PROFILE_HEAT_H

#include "index/build.h"

#include <limits.h>

/* Set PATH to the directory of profiles that belongs to the index file INDEX.
   The system's index has the system's directory of profiles; any other index
   has the directory "profiles" beside the index.  */
extern void profile_heat_path (const char *index, char path[static PATH_MAX]);

/* Set HEATS to the heats of existing files, from the profiles in the directory
   DIRECTORY.  Skip invalid profiles, and call SAY with a message about each
   invalid profile.  A missing directory counts as empty.  If there is not
   enough time for all profiles, read the profiles of programs with settings in
   CONFIG first, then the newest ones.  If DIRECTORY cannot be read completely,
   report this, and add to HEATS the heats of other files that are already in
   the index FILE.  */
extern void profile_heat_read (struct index_heats *heats,
                               const struct config *config,
                               const char *directory, const char *file,
                               config_say *say, void *closure);

extern void profile_heat_free (struct index_heats *heats);

#endif
