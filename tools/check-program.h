/* What "hugetext doctor" says about a program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHECK_PROGRAM_H
#define CHECK_PROGRAM_H

#include "settings.h"

/* Check the program NAME, for SETTINGS.  */
extern void check_program (const char *name, const struct settings *settings);

#endif
