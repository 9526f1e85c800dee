/* Control groups: find the service that a process belongs to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef GROUP_H
#define GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Set NAME to the service of process PID.  The service of a process is its
   systemd unit (a service, or a scope such as a container or a virtual
   machine).  For all sessions of one user, the name is the same.  For a
   process that is in neither a unit nor a session, the name is the path of its
   control group.  NAME is "/" if the process is in no group, and "" if PID
   does not exist.  */
extern void group_of (pid_t pid, char name[static PATH_MAX]);

/* Return the words by which messages name the service NAME.  */
extern const char *group_words (const char *name);

/* Set PATH to the control group of process PID.  If PID is in several control
   groups, use the group in systemd's hierarchy, or the group of version 2.
   Return false if PID does not exist.  */
extern bool group_path (pid_t pid, char path[static PATH_MAX]);

/* Set NAME to the service that PATH belongs to.  PATH is a control group in
   the format of /proc/PID/cgroup.  */
extern void group_name (const char *path, char name[static PATH_MAX]);

#endif
