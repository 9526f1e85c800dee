/* Make an index of a configuration, in memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INDEX_BUILD_H
#define INDEX_BUILD_H

#include "config.h"
#include "store-folder.h"

/* Set *IMAGE to the *SIZE bytes of an index with all that CONFIG and STORE
   have; to be freed.  Returns NULL, or why there is none.  */
extern const char *index_build (const struct config *config,
                                const struct store *store, char **image,
                                size_t *size);

#endif
