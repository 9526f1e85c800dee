/* Replace the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/config.h"

/* Compile the index FILE from the settings file CONFIG and its directory, and
   from the profiles.  If FILE is the machine's index, include the images in
   the store.  If the index would be empty, remove FILE.  Call SAY with CLOSURE
   for each message.  After an error return false, and leave FILE
   unchanged.  */
extern bool index_update (const char *config, const char *file,
                          config_say *say, void *closure);

#endif
