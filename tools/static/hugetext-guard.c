/* hugetext-guard makes way for hugetext guard, whatever lies over the system's
   loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: hugetext-guard UNIT [COMMAND ARG...]

   systemd runs all commands of a service in its mount namespace, with all
   bound mounts, even commands with a "+" (seen with 252).  After a loss of
   power, for instance, a link to the loader may be left there from a start
   with another libc, and would stop every program that takes a loader; and
   /var may be an empty one.  So this program is statically linked.  It enters
   the namespace of the first process, removes the link for UNIT, and executes
   COMMAND there.

   systemd runs this program with root's rights, but with the service's
   environment, in which a user may have named libraries (LD_PRELOAD) and
   programs (PATH), and with the service's umask and working directory.
   COMMAND gets none of these.  No error but wrong usage is a failure: the
   service must start.  */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
complain (const char *what)
{
  fprintf (stderr, "hugetext-guard: %s: %s\n", what, strerror (errno));
}

int
main (int argc, char **argv)
{
  static const char namespace[] = "/proc/1/ns/mnt";
  char bound[PATH_MAX];
  if (argc < 2 || strchr (argv[1], '/') != NULL)
    {
      fputs ("usage: hugetext-guard UNIT [COMMAND ARG...]\n", stderr);
      return 2;
    }
  umask (022);
  /* The service's sockets are not for root's commands.  */
  syscall (__NR_close_range, STDERR_FILENO + 1, ~0U, 0);
  snprintf (bound, sizeof bound, STATE_PATH "/bound/%s", argv[1]);
  int fd = open (namespace, O_RDONLY | O_CLOEXEC);
  bool good = fd >= 0 && setns (fd, CLONE_NEWNS) == 0;
  if (!good)
    complain (namespace);
  if (unlink (bound) < 0 && errno != ENOENT)
    {
      complain (bound);
      good = false;
    }
  if (!good || argc == 2)
    return 0;
  if (argv[2][0] == '/' && chdir ("/") == 0)
    execve (argv[2], argv + 2, (char *[]){ "LC_ALL=C", NULL });
  complain (argv[2]);
  return 0;
}
