/* A mount namespace in which our loader lies over the system's, for this
   process and its children.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* Return a message that WHAT failed.  */
static const char *
failure (const char *what)
{
  static char text[128];
  snprintf (text, sizeof text, "%s: %s", what, strerror (errno));
  return text;
}

/* Write TEXT to FILE by one call.  */
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

/* Enter a user namespace in which this process keeps its user and group, and a
   mount namespace.  */
static const char *
enter_user_namespace (void)
{
  char uid[64], gid[64];
  /* Read the IDs before: in the new namespace this process has the overflow
     user's.  */
  snprintf (uid, sizeof uid, "%u %u 1", (unsigned) geteuid (),
            (unsigned) geteuid ());
  snprintf (gid, sizeof gid, "%u %u 1", (unsigned) getegid (),
            (unsigned) getegid ());
  if (unshare (CLONE_NEWUSER | CLONE_NEWNS) < 0)
    return failure ("no namespace of our own");
  /* An ordinary user may map groups only after this (user_namespaces(7)).  */
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
  /* Later mounts of the system shall be seen here, but not ours there.  */
  if (mount ("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
    return failure ("mounts cannot be made private");
  if (mount (loader, over, NULL, MS_BIND, NULL) < 0)
    return failure ("the loader cannot be mounted over the system's");
  return NULL;
}

const char *
namespace_problem (const char *loader, const char *over)
{
  static char problem[128];
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return failure ("no pipe");
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      const char *text = namespace_bind (loader, over);
      _exit (text != NULL && write (ends[1], text, strlen (text)) > 0);
    }
  close (ends[1]);
  ssize_t n = read (ends[0], problem, sizeof problem - 1);
  close (ends[0]);
  problem[n > 0 ? n : 0] = '\0';
  if (pid < 0)
    return failure ("no process for a namespace");
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  return problem[0] == '\0' ? NULL : problem;
}
