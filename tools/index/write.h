/* The replacement of the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/config.h"

/* Compile the settings file CONFIG and its folder, and the images in the store
   beside FILE, into the index FILE; or remove FILE if there are neither
   settings nor images.  False after an error: then FILE is as before.  SAY is
   called with CLOSURE for each message.  */
extern bool index_update (const char *config, const char *file,
                          config_say *say, void *closure);

/* Do the same with the store in FOLDER, an absolute path.  */
extern bool index_update_store (const char *config, const char *file,
                                const char *folder, config_say *say,
                                void *closure);

/* Warn of problems of the place of the index FILE.  */
extern void index_check_place (const char *file, config_say *say,
                               void *closure);

#endif
