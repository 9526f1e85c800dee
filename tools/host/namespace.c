/* Namespaces of this process and its children: any kind, and a mount namespace
   in which ld-hugetext.so is mounted over the system's loader.
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

/* Enter a user namespace in which this process keeps its user and group, and
   namespaces of KINDS.  */
static const char *
enter_user_namespace (int kinds)
{
  char uid[64], gid[64];
  /* Read the IDs before the new namespace, in which this process has the
     overflow IDs.  */
  snprintf (uid, sizeof uid, "%u %u 1", (unsigned) geteuid (),
            (unsigned) geteuid ());
  snprintf (gid, sizeof gid, "%u %u 1", (unsigned) getegid (),
            (unsigned) getegid ());
  if (unshare (CLONE_NEWUSER | kinds) < 0)
    return failure ("no namespace of our own");
  /* An ordinary user may map groups only after "deny"
     (user_namespaces(7)).  */
  if (write_file ("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
    return failure ("/proc/self/setgroups");
  if (write_file ("/proc/self/uid_map", uid) < 0)
    return failure ("/proc/self/uid_map");
  if (write_file ("/proc/self/gid_map", gid) < 0)
    return failure ("/proc/self/gid_map");
  return NULL;
}

const char *
namespace_enter (int kinds)
{
  if (unshare (kinds) == 0)
    return NULL;
  return (errno == EPERM ? enter_user_namespace (kinds)
                         : failure (kinds == CLONE_NEWNS ? "no mount namespace"
                                                         : "no namespaces"));
}

/* Let a child of this process call WORK with CLOSURE.  Return the child's
   result, in BUFFER of SIZE bytes: the reason why WORK is not possible; "" if
   it is.  */
static const char *
ask_child (const char *(*work) (const void *closure), const void *closure,
           char *buffer, size_t size)
{
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC) < 0)
    return failure ("no pipe");
  fflush (NULL);
  pid_t pid = fork ();
  if (pid == 0)
    {
      const char *text = work (closure);
      /* Send at least the null byte, which tells that the work has ended.  */
      if (text == NULL)
        text = "";
      _exit (write (ends[1], text, strlen (text) + 1) < 0);
    }
  close (ends[1]);
  ssize_t n = read (ends[0], buffer, size - 1);
  close (ends[0]);
  buffer[n > 0 ? n : 0] = '\0';
  if (pid < 0)
    return failure ("a process for a namespace cannot be started");
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  if (n <= 0)
    snprintf (buffer, size, "the process for a namespace has ended");
  return buffer;
}

/* Leave the root directory, which is not a mount point, for the root directory
   of the mount namespace, and make the mounts there slaves of the mounts
   outside.  OVER is a path with a directory.  */
static const char *
climb_and_enslave (const void *over)
{
  char folder[PATH_MAX];
  struct stat before, now;
  snprintf (folder, sizeof folder, "%s", (const char *) over);
  *strrchr (folder, '/') = '\0';
  /* If the new root directory is below the working directory, ".." leads out
     of it.  */
  if (chdir ("/") < 0 || chroot (folder) < 0 || stat (".", &now) < 0)
    return failure ("the root directory cannot be left");
  do
    {
      before = now;
      if (chdir ("..") < 0 || stat (".", &now) < 0)
        return failure ("the root directory cannot be left");
    }
  while (before.st_dev != now.st_dev || before.st_ino != now.st_ino);
  if (mount ("none", ".", NULL, MS_REC | MS_SLAVE, NULL) < 0)
    return failure ("mounts cannot be made private");
  return NULL;
}

/* Make later mounts of the system visible in this mount namespace, but not
   this namespace's mounts in the system.  OVER is the file that the loader
   will be mounted over.  */
static const char *
enslave_mounts (const char *over)
{
  static char problem[128];
  if (mount ("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0)
    return NULL;
  if (errno != EINVAL)
    return failure ("mounts cannot be made private");
  /* The root directory is not a mount point (chroot), so the mount that
     contains it has no path inside it.  Let a child, which has the same
     mounts, leave the root directory.  */
  const char *text
      = ask_child (climb_and_enslave, over, problem, sizeof problem);
  return text[0] != '\0' ? text : NULL;
}

const char *
namespace_bind (const char *loader, const char *over)
{
  const char *problem = namespace_enter (CLONE_NEWNS);
  if (problem == NULL)
    problem = enslave_mounts (over);
  if (problem != NULL)
    return problem;
  if (mount (loader, over, NULL, MS_BIND, NULL) < 0)
    return failure ("the loader cannot be mounted over the system's");
  return NULL;
}

/* The two files of a bind mount.  */
struct binding
{
  const char *loader, *over;
};

static const char *
try_binding (const void *closure)
{
  const struct binding *binding = closure;
  return namespace_bind (binding->loader, binding->over);
}

const char *
namespace_problem (const char *loader, const char *over)
{
  static char problem[128];
  const struct binding binding = { loader, over };
  const char *text
      = ask_child (try_binding, &binding, problem, sizeof problem);
  return text[0] != '\0' ? text : NULL;
}
