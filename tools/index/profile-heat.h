/* The heat in the index, from the profiles in a folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_HEAT_H
#define PROFILE_HEAT_H

#include "index/build.h"

#include <limits.h>

/* Set PATH to the folder of profiles that belongs to INDEX, a file: the
   system's, or the folder "profiles" beside it if that is another index.  */
extern void profile_heat_path (const char *index, char path[static PATH_MAX]);

/* Set HEATS to what the profiles in FOLDER say of files that are there.  What
   is no good is left out, and SAY told so.  False with errno set if there is
   no memory, or FOLDER cannot be read; what is not there is empty.  To be
   freed in both cases.  */
extern bool profile_heat_read (struct index_heats *heats, const char *folder,
                               config_say *say, void *closure);

extern void profile_heat_free (struct index_heats *heats);

#endif
