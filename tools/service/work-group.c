/* A control group for the processes of "hugetext guard".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   systemd runs the guard in the control group of the service, whose memory may
   be limited.  If the kernel killed a process of this group because the limit
   is reached, systemd would stop the service (OOMPolicy=).  So the processes
   that do the guard's work leave the service's group, and enter a group at the
   top of the hierarchy, which has no limit.

   All guards share this group.  It is not a group of another unit, because
   systemd would blame that unit if the kernel killed one of the guard's
   processes.  It is not the group at the top itself, because in a container no
   process can enter that group.  */

#include "service/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The hierarchies that may limit memory: those of cgroup v1 and of cgroup
   v2.  */
static const char *const hierarchies[]
    = { "/sys/fs/cgroup/memory", "/sys/fs/cgroup" };

enum
{
  HIERARCHIES = sizeof hierarchies / sizeof *hierarchies,
  /* The number of tries.  While a guard enters the group, another guard may
     remove it.  For a moment, the kernel also counts processes that have
     ended.  */
  TRIES = 10
};

/* A path of the work group: its directory, or a file in this directory.  */
struct path
{
  char text[64];
};

/* Return the path of NAME in the work group of HIERARCHY.  If NAME is "",
   return the path of the group.  */
static struct path
find_path (const char *hierarchy, const char *name)
{
  struct path path;
  snprintf (path.text, sizeof path.text, "%s/hugetext-guard%s", hierarchy,
            name);
  return path;
}

/* Move this process into the work group of HIERARCHY, and create this group if
   it does not exist.  Return true if the process is in the group.  */
static bool
enter (const char *hierarchy)
{
  mkdir (find_path (hierarchy, "").text, 0755);
  const int fd = open (find_path (hierarchy, "/cgroup.procs").text,
                       O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const bool entered = write (fd, "0", 1) == 1;
  close (fd);
  return entered;
}

/* Return true if HIERARCHY is mounted at its usual directory.  */
static bool
is_mounted (const char *hierarchy)
{
  char path[64];
  snprintf (path, sizeof path, "%s/cgroup.procs", hierarchy);
  return access (path, F_OK) == 0;
}

void
work_group_enter (void)
{
  for (size_t i = 0; i < HIERARCHIES; ++i)
    if (is_mounted (hierarchies[i]))
      for (int k = 0; k < TRIES && !enter (hierarchies[i]); ++k)
        continue;
}

void
work_group_remove (void)
{
  const struct timespec moment = { .tv_nsec = 1000000 };
  for (size_t i = 0; i < HIERARCHIES; ++i)
    for (int k = 0;
         k < TRIES && rmdir (find_path (hierarchies[i], "").text) < 0
         && errno == EBUSY;
         ++k)
      nanosleep (&moment, NULL);
}
