/* The processes in a control group, as the kernel lists them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEMBERS_H
#define MEMBERS_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Set LIST to the IDs of the COUNT processes in the control group GROUP, a
   path in systemd's hierarchy, and in the groups below it.  The caller frees
   LIST.  A process may be in the list several times.  If the kernel's lists
   cannot be read, set PROBLEM and return false.  */
extern bool members_ask (const char *group, pid_t **list, size_t *count,
                         struct problem *problem) MAY_BE_UNKNOWN;

#endif
