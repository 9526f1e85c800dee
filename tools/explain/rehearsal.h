/* Rehearsals: a program is started under our loader, which ends it before any
   of its code runs, and is looked at where it is then.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What the loader does in a rehearsal: elf/dl-hugetext-rehearsal.h.  */

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
  int hold; /* Its standard input: it ends when this is closed.  */
};

/* Start the first of FILES, and with it those that it opens late, under LOADER
   (NULL: the one that is wanted here) by SETTINGS, up to the moment at which
   all text is where it is to be.  If it is a LIBRARY, it is preloaded to a
   program that has hardly any text.  The process has our limits, filters and
   control groups.  It is ended by rehearsal_end, or by our own end.  Returns
   false, with PROBLEM set, if it may not be started, or does not get so
   far.  */
extern bool rehearsal_start (struct rehearsal *rehearsal,
                             const struct file_list *files, bool library,
                             const char *loader,
                             const struct settings *settings,
                             struct problem *problem);

extern void rehearsal_end (struct rehearsal *rehearsal);

#endif
