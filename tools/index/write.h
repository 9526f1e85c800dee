/* The replacement of the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/config.h"

/* Compile the settings file CONFIG and its directory, the profiles, and, if
   FILE is the machine's index, the images in the store into the index FILE; or
   remove FILE if none of these sources has anything.  False after an error:
   then FILE is unchanged.  SAY is called with CLOSURE for each message.  */
extern bool index_update (const char *config, const char *file,
                          config_say *say, void *closure);

#endif
