/* Advice: the index's settings for a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ADVICE_H
#define ADVICE_H

#include "object/settings.h"

#include <sys/types.h>

/* Add the index's settings for the program PROGRAM, links resolved, to
   SETTINGS, unless SETTINGS switch huge text off: then the loader does not
   look either.  */
extern void advice_add (struct settings *settings, const char *program);

/* Add what the index in the root directory of process PID has for its program
   in the same way.  */
extern void advice_add_process (struct settings *settings, pid_t pid);

#endif
