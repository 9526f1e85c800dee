/* Move the calling process and its future children to new namespaces.
   namespace_enter creates and enters namespaces of the given kinds.
   namespace_bind creates and enters a mount namespace in which ld-hugetext.so
   is bind-mounted on the system's loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Write TEXT to FILE with a single system call.  */
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

/* Enter a user namespace in which this process keeps its user and group IDs,
   and further namespaces of KINDS.  */
static bool
enter_user_namespace (int kinds, struct problem *problem)
{
  char uid[64], gid[64];
  /* Read the IDs before entering the namespace, because in the new namespace
     this process has the overflow IDs at first.  */
  snprintf (uid, sizeof uid, "%u %u 1", (unsigned) geteuid (),
            (unsigned) geteuid ());
  snprintf (gid, sizeof gid, "%u %u 1", (unsigned) getegid (),
            (unsigned) getegid ());
  if (unshare (CLONE_NEWUSER | kinds) < 0)
    return problem_errno (problem,
                          "the command cannot create a user namespace");
  /* An ordinary user may map group IDs only after writing "deny"
     (user_namespaces(7)).  */
  if (write_file ("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
    return problem_errno (problem, "/proc/self/setgroups");
  if (write_file ("/proc/self/uid_map", uid) < 0)
    return problem_errno (problem, "/proc/self/uid_map");
  if (write_file ("/proc/self/gid_map", gid) < 0)
    return problem_errno (problem, "/proc/self/gid_map");
  return true;
}

bool
namespace_enter (int kinds, struct problem *problem)
{
  if (unshare (kinds) == 0)
    return true;
  return errno == EPERM
             ? enter_user_namespace (kinds, problem)
             : problem_errno (
                 problem, kinds == CLONE_NEWNS
                              ? "the command cannot create a mount namespace"
                              : "the command cannot create namespaces");
}

/* Call WORK with CLOSURE in a child of this process.  Return what WORK
   returns, or false if the child cannot be made.  */
static bool
namespace_ask_child (bool (*work) (const void *closure,
                                   struct problem *problem),
                     const void *closure, struct problem *problem)
{
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return problem_errno (problem, "no pipe");
  pid_t pid = fork ();
  if (pid == 0)
    {
      struct result result = { 0 };
      result.good = work (closure, &result.problem);
      _exit (write (ends[1], &result, sizeof result) < 0);
    }
  close (ends[1]);
  struct result answer;
  const ssize_t n = read (ends[0], &answer, sizeof answer);
  close (ends[0]);
  if (pid < 0)
    return problem_errno (problem, "hugetext cannot start its helper process, "
                                   "which would enter a namespace");
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  if (n != sizeof answer)
    return problem_set (problem, "hugetext's helper process, which entered a "
                                 "namespace, ended without an answer");
  return result_take (&answer, problem);
}

/* The text of the problem if a process in a chroot cannot change to the root
   of its mount namespace.  */
#define NO_WAY_OUT \
  "hugetext runs in a chroot that is not a mount point, and cannot leave it"

/* This process's root directory is not a mount point.  Change to the root
   directory of the mount namespace.  Make the mounts of the new mount
   namespace slaves of the system's mounts.  OVER is the path of a file that is
   not on the same mount as this process's root directory.  */
static bool
climb_and_enslave (const void *over, struct problem *problem)
{
  char directory[PATH_MAX];
  struct stat before, now;
  snprintf (directory, sizeof directory, "%s", (const char *) over);
  *strrchr (directory, '/') = '\0';
  /* chroot leaves the working directory above the new root directory, so ".."
     leads further up.  */
  if (chdir ("/") < 0 || chroot (directory) < 0 || stat (".", &now) < 0)
    return problem_errno (problem, NO_WAY_OUT);
  do
    {
      before = now;
      if (chdir ("..") < 0 || stat (".", &now) < 0)
        return problem_errno (problem, NO_WAY_OUT);
    }
  while (before.st_dev != now.st_dev || before.st_ino != now.st_ino);
  if (mount ("none", ".", NULL, MS_REC | MS_SLAVE, NULL) < 0)
    return problem_errno (
        problem, "the mounts of the new namespace cannot be made private");
  return true;
}

/* Let later mounts of the system become visible in this mount namespace, but
   not the mounts of this namespace in the system.  OVER is the file on which
   the loader will be bind-mounted.  */
static bool
enslave_mounts (const char *over, struct problem *problem)
{
  if (mount ("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0)
    return true;
  if (errno != EINVAL)
    return problem_errno (
        problem, "the mounts of the new namespace cannot be made private");
  /* The root directory of this process is not a mount point (chroot), so this
     process has no path for the mount that contains the directory.  Let a
     child process change to the root directory of the mount namespace, and set
     the propagation of the mounts there to MS_SLAVE.  The mounts of this
     process change as well, because both processes are in the same mount
     namespace.  */
  return namespace_ask_child (climb_and_enslave, over, problem);
}

bool
namespace_bind (const char *loader, const char *over, struct problem *problem)
{
  if (!namespace_enter (CLONE_NEWNS, problem)
      || !enslave_mounts (over, problem))
    return false;
  if (mount (loader, over, NULL, MS_BIND, NULL) < 0)
    return problem_errno (
        problem, "ld-hugetext.so cannot be mounted over the system's loader");
  return true;
}

/* A bind mount: the file LOADER is mounted over the file OVER.  */
struct binding
{
  const char *loader, *over;
};

static bool
try_binding (const void *closure, struct problem *problem)
{
  const struct binding *binding = closure;
  return namespace_bind (binding->loader, binding->over, problem);
}

bool
namespace_try (const char *loader, const char *over, struct problem *problem)
{
  const struct binding binding = { loader, over };
  return namespace_ask_child (try_binding, &binding, problem);
}
