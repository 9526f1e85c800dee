/* Who has a file mapped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILEUSERS_H
#define FILEUSERS_H

#include "process.h"

#include <stddef.h>
#include <sys/stat.h>

enum
{
  FILEUSERS_NAMED = 3,
};

struct fileusers
{
  size_t count;
  struct process first[FILEUSERS_NAMED]; /* As many of them as there are.  */
};

/* Find the processes, as far as /proc shows them to us, that have the file
   PATH with STATUS mapped.  */
extern void fileusers_find (const char *path, const struct stat *status,
                            struct fileusers *users);

/* They in words, "1234 (postgres), 1235 (postgres) and 7 more"; "" if there
   are none.  In static memory.  */
extern const char *fileusers_text (const struct fileusers *users);

#endif
