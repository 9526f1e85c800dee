/* What confines a process: profiles of AppArmor.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include <stdbool.h>
#include <sys/types.h>

/* The longest name of a profile that is kept, and a zero.  */
#define CONFINEMENT_PROFILE 128

/* What the Debian package installs for profiles to include.  */
#define CONFINEMENT_SNIPPET "/etc/apparmor.d/abstractions/base.d/ld-hugetext"

/* Set NAME to the AppArmor profile that the kernel enforces for process PID.
   False if it enforces none.  */
extern bool confinement_profile (pid_t pid, char name[CONFINEMENT_PROFILE]);

#endif
