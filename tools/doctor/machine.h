/* The lines of "hugetext doctor" about the machine and this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHECK_MACHINE_H
#define CHECK_MACHINE_H

#include "object/settings.h"

/* Check the machine and the rights of this process, for SETTINGS and the
   loader LOADER (NULL for the usual one).  */
extern void check_machine (const struct settings *settings,
                           const char *loader);

/* Check the loader at PATH.  */
extern void check_loader (const char *path);

#endif
