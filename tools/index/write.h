/* Replace the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/config.h"

/* Compile the index FILE from the settings file CONFIG and its directory, from
   the profiles, and, if FILE is the machine's index, from the images in the
   store.  If the settings files, the profiles and the store contain nothing
   for the index, remove the index file FILE.  Call SAY with CLOSURE for each
   message.  After an error return false, and leave FILE unchanged.  */
extern bool index_update (const char *config, const char *file,
                          config_say *say, void *closure);

#endif
