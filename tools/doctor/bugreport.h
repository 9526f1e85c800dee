/* The first part of "hugetext doctor --report", and the function that removes
   names of files from the lines of the report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BUGREPORT_H
#define BUGREPORT_H

#include "object/settings.h"

/* Print the versions and the facts about the machine.  The facts include the
   SETTINGS of the command, and the version of the loader at PATH.  */
extern void bugreport_head (const struct settings *settings, const char *path);

/* Cut TEXT off where a path outside of the system's directories begins.  */
extern void bugreport_cut (char *text);

#endif
