/* Where a process runs: by a command, in a service or in a container.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/where.h"
#include "host/unit.h"

#include <string.h>
#include <sys/stat.h>

/* The inode number of the kernel's first PID namespace, PROC_PID_INIT_INO.  */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU

/* Whether this process is in a container without systemd: its PID namespace is
   not the machine's.  Files such as /.dockerenv prove nothing, because virtual
   machines that are made from container images have them too.  In a container
   with systemd, remedies for services and commands work as on a machine.  */
static bool
is_in_container (void)
{
  struct stat namespace;
  static int known = -1;
  if (known < 0)
    known
        = (!unit_systemd_runs () && stat ("/proc/self/ns/pid", &namespace) == 0
           && namespace.st_ino != FIRST_PID_NAMESPACE);
  return known;
}

enum where
where_runs (const char *group, bool elsewhere)
{
  const char *suffix = strrchr (group, '.');
  if (elsewhere || is_in_container ())
    return WHERE_CONTAINER;
  return (suffix != NULL && strcmp (suffix, ".service") == 0 ? WHERE_SERVICE
                                                             : WHERE_COMMAND);
}

enum where
where_own (void)
{
  return is_in_container () ? WHERE_CONTAINER : WHERE_COMMAND;
}
