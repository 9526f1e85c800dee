/* Control groups: find the service that a process belongs to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef GROUP_H
#define GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* In the inspector: set PATH to the control group of the process whose file
   /proc/PID/cgroup is STREAM, and close STREAM.  If the process is in several
   control groups, use the group in systemd's hierarchy, or the group
   of cgroup v2.  Return false if STREAM is NULL or cannot be read.  */
extern bool group_read (FILE *stream, char path[static PATH_MAX]);

/* Set NAME to the service that PATH belongs to.  PATH is a control group in
   the format of /proc/PID/cgroup.  The service of a process is its systemd
   unit (a service, or a scope such as a container or a virtual machine).  For
   all sessions of one user, the name is the same.  For a process that is in
   neither a unit nor a session, the name is the path of its control group.
   NAME is "/" if the process is in no group.  */
extern void group_name (const char *path, char name[static PATH_MAX]);

/* The command checks the inspector's answers (host/inspector.h) by two
   functions.  group_is_path returns true if PATH can be a control group in
   /proc/PID/cgroup: PATH must begin with "/", and may have components ".."
   only at the beginning.  (A component ".." stands for a group above the root
   of this process's cgroup namespace.)  group_is_name returns true if NAME can
   be a result of group_name.  */
extern bool group_is_path (const char *path);
extern bool group_is_name (const char *name);

/* Return the service NAME in the form that messages use.  */
extern const char *group_words (const char *name);

#endif
