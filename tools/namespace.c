/* Put our loader in the place of the system's, for this process and its
   children only.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* Say that WHAT failed.  */
static const char *
failure (const char *what)
{
  static char text[128];
  snprintf (text, sizeof text, "%s: %s", what, strerror (errno));
  return text;
}

/* Write TEXT to FILE, which has to take it at once.  */
static int
write_file (const char *file, const char *text)
{
  int fd = open (file, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return -1;
  ssize_t n = write (fd, text, strlen (text));
  int error = errno;
  close (fd);
  errno = error;
  return n < 0 ? -1 : 0;
}

/* Enter a user namespace in which we are who we were, and a mount
   namespace.  */
static const char *
enter_user_namespace (void)
{
  char uid[64], gid[64];
  /* In the new one we are nobody.  */
  snprintf (uid, sizeof uid, "%u %u 1", (unsigned)geteuid (),
            (unsigned)geteuid ());
  snprintf (gid, sizeof gid, "%u %u 1", (unsigned)getegid (),
            (unsigned)getegid ());
  if (unshare (CLONE_NEWUSER | CLONE_NEWNS) < 0)
    return failure ("no namespace of our own");
  /* Without this an ordinary user may not map groups (user_namespaces(7)).  */
  if (write_file ("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
    return failure ("/proc/self/setgroups");
  if (write_file ("/proc/self/uid_map", uid) < 0)
    return failure ("/proc/self/uid_map");
  if (write_file ("/proc/self/gid_map", gid) < 0)
    return failure ("/proc/self/gid_map");
  return NULL;
}

const char *
namespace_bind (const char *loader, const char *over)
{
  if (unshare (CLONE_NEWNS) < 0)
    {
      const char *problem = (errno == EPERM ? enter_user_namespace ()
                                            : failure ("no mount namespace"));
      if (problem != NULL)
        return problem;
    }
  /* What the system mounts later is to be seen here, but not the other way
     round.  */
  if (mount ("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
    return failure ("mounts cannot be made private");
  if (mount (loader, over, NULL, MS_BIND, NULL) < 0)
    return failure ("the loader cannot be mounted over the system's");
  return NULL;
}
