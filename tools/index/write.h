/* The replacement of the index file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/config.h"

/* Compile the configuration CONFIG, a file as config_read takes it, and the
   images in the store beside FILE, into the index FILE, or remove that if
   there are neither settings nor images.  False if anything is wrong: then
   FILE is as before.  SAY is called with CLOSURE for all there is to say.  */
extern bool index_update (const char *config, const char *file,
                          config_say *say, void *closure);

/* The same with the store in FOLDER, an absolute path.  */
extern bool index_update_store (const char *config, const char *file,
                                const char *folder, config_say *say,
                                void *closure);

/* Warn of what is wrong with the place of the index FILE.  */
extern void index_check_place (const char *file, config_say *say,
                               void *closure);

#endif
