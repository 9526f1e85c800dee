/* Rehearsals: our loader starts a program and ends it before any of its code
   runs; meanwhile the command looks at it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   elf/optional/dl-hugetext-modules.h describes the loader's part.  */

#ifndef REHEARSAL_H
#define REHEARSAL_H

#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

struct rehearsal
{
  pid_t pid;
  int hold; /* The socket to its standard input, output and error: it ends when
               this is closed.  */
};

/* Start the first of FILES, paths without links, with those that it opens
   late, under LOADER (NULL for the usual one) by SETTINGS, up to the moment
   when all text is in place. If it is a LIBRARY, it is preloaded to a program
   that has hardly any text. The process has our limits, filters and control
   groups. rehearsal_end ends it, or our own end.  Return false, with PROBLEM
   set, if it may not be started, or fails.  */
extern bool rehearsal_start (struct rehearsal *rehearsal,
                             const struct file_list *files, bool library,
                             const char *loader,
                             const struct settings *settings,
                             struct problem *problem);

extern void rehearsal_end (struct rehearsal *rehearsal);

#endif
