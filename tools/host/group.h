/* Control groups: the service that a process belongs to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef GROUP_H
#define GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Set NAME to the service of process PID: its systemd unit (a service; or a
   scope, as containers and virtual machines have), a single name for each user
   who is logged in, or else the path of its control group.  "/" if the process
   is in no group; "" if PID does not exist.  */
extern void group_of (pid_t pid, char name[static PATH_MAX]);

/* Set PATH to the control group of process PID: the one that systemd uses, or
   the one of version 2 if PID has several.  Return false if PID does not
   exist.  */
extern bool group_path (pid_t pid, char path[static PATH_MAX]);

/* Set NAME to the service of PATH, a control group in /proc/PID/cgroup.  */
extern void group_name (const char *path, char name[static PATH_MAX]);

#endif
