/* The entries of the index about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ADVICE_H
#define ADVICE_H

#include "object/settings.h"

#include <sys/types.h>

/* Add to SETTINGS what the index says about the program with path PROGRAM,
   unless it is switched off there, when the loader does not look.  Links in
   PROGRAM are resolved.  */
extern void advice_add (struct settings *settings, const char *program);

/* The same about the program that process PID runs, in its root directory.  */
extern void advice_add_process (struct settings *settings, pid_t pid);

/* Why process PID cannot read the machine's index, NULL if it can, or if there
   is none.  */
extern const char *advice_obstacle (pid_t pid);

#endif
