/* Try a loader before it is put in the place of the system's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TRIAL_H
#define TRIAL_H

#include <stdbool.h>

/* Why the file LOADER cannot take the place of the system's loader, as far as
   that can be told without running it; NULL if it can.  In static memory.  */
extern const char *trial_problem (const char *loader);

/* Have programs run under LOADER, which has no trial_problem, in place of the
   system's loader.  Returns NULL, or what went wrong, in static memory.
   WHOLE: take the time for threads, malloc and libraries, with huge text off
   and on; otherwise only start one.  PATIENCE: take less than so many
   milliseconds in all, if it is not 0.  */
extern const char *trial_run (const char *loader, bool whole, long patience);

/* What such a program does first: put LOADER in the place of the system's and
   execute this command again, with the word NEXT, for TIME milliseconds at
   most.  Returns only if that fails.  */
extern int trial_enter (const char *loader, const char *next, long time);

#endif
