/* A mount namespace in which our loader lies over the system's, for this
   process and its children.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
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

/* Open the namespace NAME of process PID, unless it is ours; -1 if so.  */
static int
open_other (pid_t pid, const char *name)
{
  char path[64], ours[64] = "", theirs[64] = "";
  snprintf (path, sizeof path, "/proc/self/ns/%s", name);
  ssize_t n = readlink (path, ours, sizeof ours - 1);
  snprintf (path, sizeof path, "/proc/%d/ns/%s", (int) pid, name);
  ssize_t m = readlink (path, theirs, sizeof theirs - 1);
  return (n > 0 && m > 0 && strcmp (ours, theirs) == 0
              ? -1
              : open (path, O_RDONLY | O_CLOEXEC));
}

/* Open the directory to which NAME of process PID leads.  */
static int
open_place (pid_t pid, const char *name)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/%s", (int) pid, name);
  return open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Run in a child: make the namespace, write the failed step to READY, "" if
   none failed, and wait for the end of DONE.  */
static void __attribute__ ((noreturn))
keep (const char *loader, const char *over, int ready, int done)
{
  char byte;
  const char *problem = namespace_bind (loader, over);
  if (problem == NULL)
    problem = "";
  bool said = write (ready, problem, strlen (problem) + 1) > 0;
  while (said && read (done, &byte, 1) < 0 && errno == EINTR)
    continue;
  _exit (0);
}

void
namespace_release (struct namespace *held)
{
  const int fds[] = { held->user, held->mount, held->root, held->directory };
  for (size_t i = 0; i < sizeof fds / sizeof fds[0]; ++i)
    if (fds[i] >= 0)
      close (fds[i]);
  *held = NAMESPACE_NONE;
}

const char *
namespace_hold (const char *loader, const char *over, struct namespace *held)
{
  static char problem[128];
  int ready[2], done[2];
  *held = NAMESPACE_NONE;
  if (pipe2 (ready, O_CLOEXEC) < 0)
    return failure ("no pipe");
  if (pipe2 (done, O_CLOEXEC) < 0)
    {
      const char *text = failure ("no pipe");
      close (ready[0]);
      close (ready[1]);
      return text;
    }
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      close (ready[0]);
      close (done[1]);
      keep (loader, over, ready[1], done[0]);
    }
  close (ready[1]);
  close (done[0]);
  ssize_t n = pid > 0 ? read (ready[0], problem, sizeof problem - 1) : -1;
  if (n <= 0)
    strcpy (problem, "no process for a namespace");
  else if (problem[0] == '\0')
    {
      held->user = open_other (pid, "user");
      held->mount = open_other (pid, "mnt");
      held->root = open_place (pid, "root");
      held->directory = open_place (pid, "cwd");
      if (held->mount < 0 || held->root < 0 || held->directory < 0)
        {
          snprintf (problem, sizeof problem, "%s", failure ("/proc/PID"));
          namespace_release (held);
        }
    }
  close (ready[0]);
  close (done[1]);
  if (pid > 0)
    while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
      continue;
  return problem[0] == '\0' ? NULL : problem;
}

const char *
namespace_join (const struct namespace *held)
{
  if (held->user >= 0 && setns (held->user, CLONE_NEWUSER) < 0)
    return failure ("the user namespace cannot be joined");
  if (setns (held->mount, CLONE_NEWNS) < 0)
    return failure ("the mount namespace cannot be joined");
  /* After joining, this process is in the namespace's root (setns(2)).  */
  if (fchdir (held->root) < 0 || chroot (".") < 0
      || fchdir (held->directory) < 0)
    return failure ("the mount namespace's directories cannot be entered");
  return NULL;
}
