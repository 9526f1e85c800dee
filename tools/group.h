/* Which service a process is of, by its control group.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef GROUP_H
#define GROUP_H

#include <limits.h>
#include <sys/types.h>

/* Set NAME to the service of process PID: the unit of systemd's that it is in
   (a service, a scope, as containers and virtual machines have), one for each
   user who is logged in, or else the path of its control group.  "/" if it is
   in none; "" if there is no such process.  */
extern void group_of (pid_t pid, char name[static PATH_MAX]);

/* The same of PATH, as /proc/PID/cgroup has it.  */
extern void group_name (const char *path, char name[static PATH_MAX]);

#endif
