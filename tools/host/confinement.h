/* The confinement of programs by AppArmor and fapolicyd.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include <stdbool.h>

/* The size of a buffer for the name of a profile, including the null byte.
   Longer names are truncated.  */
#define CONFINEMENT_PROFILE 128

/* A file that the Debian package installs, and that AppArmor profiles
   include.  */
#define CONFINEMENT_SNIPPET "/etc/apparmor.d/abstractions/base.d/ld-hugetext"

/* Set NAME to the AppArmor profile that the kernel enforces for a process.
   LINE is the contents of the process's file attr/apparmor/current or
   attr/current, and is changed.  Return false if the kernel enforces no
   AppArmor profile for the process.  Only an unprivileged process may call
   this function.  */
extern bool confinement_parse (char *line, char name[CONFINEMENT_PROFILE]);

/* Return true if fapolicyd runs.  */
extern bool confinement_fapolicyd (void);

#endif
