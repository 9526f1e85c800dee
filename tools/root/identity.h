/* What tells a file from others, as the loader asks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef IDENTITY_H
#define IDENTITY_H

#include "dl-hugetext-index.h"

#include <sys/stat.h>

/* What tells the file of STATUS from others.  */
extern struct hugetext_identity identity_of (const struct stat *status);

/* Why the loader does not trust the file of STATUS where ROOT is root, as
   elf/dl-hugetext-lookup.c has it; NULL if it does.  */
extern const char *identity_problem (const struct stat *status, uid_t root);

#endif
