/* Keep out of the way of package managers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   They hold locks of fcntl on these files while they work, and so do we.  */

#include "packages.h"
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct
{
  const char *file, *name;
} locks[] = {
  /* In the order in which dpkg and apt take them.  */
  { "/var/lib/dpkg/lock-frontend", "dpkg" },
  { "/var/lib/dpkg/lock", "dpkg" },
  { "/var/lib/rpm/.rpm.lock", "rpm" },
  { "/usr/lib/sysimage/rpm/.rpm.lock", "rpm" },
};

#define LOCKS (sizeof locks / sizeof locks[0])

static int held[LOCKS] = { -1, -1, -1, -1 };

/* Say that lock I is held, by PID unless that is 0.  */
static const char *
say (size_t i, pid_t pid)
{
  static char text[192];
  struct process process;
  if (pid > 0 && process_read (pid, &process))
    snprintf (text, sizeof text, "%s is at work: %d (%s) holds %s",
              locks[i].name, (int)pid, process.name, locks[i].file);
  else
    snprintf (text, sizeof text, "%s is at work: %s is locked", locks[i].name,
              locks[i].file);
  return text;
}

/* Take lock I.  */
static const char *
take (size_t i)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = open (locks[i].file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
  if (fd < 0)
    /* There is none, or not for us, whose files are no package's then.  */
    return NULL;
  if (fcntl (fd, F_SETLK, &lock) == 0)
    {
      held[i] = fd;
      return NULL;
    }
  pid_t pid = 0;
  if (fcntl (fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
    pid = lock.l_pid;
  close (fd);
  return say (i, pid);
}

const char *
packages_lock (void)
{
  const char *problem = NULL;
  for (size_t i = 0; problem == NULL && i < LOCKS; i++)
    problem = take (i);
  if (problem != NULL)
    packages_unlock ();
  return problem;
}

void
packages_unlock (void)
{
  for (size_t i = LOCKS; i-- > 0;)
    if (held[i] >= 0)
      {
        close (held[i]);
        held[i] = -1;
      }
}
