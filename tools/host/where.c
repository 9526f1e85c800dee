/* How a process runs: started by a command, in a service or in a container.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/where.h"
#include "host/reader.h"
#include "host/unit.h"
#include "trust/mount.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The inode number of the kernel's initial PID namespace, PROC_PID_INIT_INO.
 */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU

/* The root directory, according to a table of mounts.  */
struct root
{
  bool has_mount;      /* True if the table contains the wanted mount.  */
  bool is_known;       /* True if the table shows what is mounted on "/".  */
  dev_t device;        /* The filesystem that is mounted on "/".  */
  char path[PATH_MAX]; /* The path within this filesystem.  */
};

/* Read STREAM, a table of mounts (proc_pid_mountinfo(5)), into ROOT, and close
   STREAM.  If STREAM is NULL, clear ROOT.  WANTED is the number of the mount
   to look for.  */
static void
read_root (FILE *stream, int wanted, struct root *root)
{
  struct mount mount;
  char *line = NULL;
  size_t room = 0;
  *root = (struct root){ .has_mount = false };
  while (stream != NULL && mount_read (stream, &line, &room, &mount))
    {
      root->has_mount |= mount.number == wanted;
      if (strcmp (mount.place, "/") != 0)
        continue;
      /* If several filesystems are mounted on "/", use the last mount.  */
      root->is_known = true;
      root->device = mount.device;
      snprintf (root->path, sizeof root->path, "%s", mount.root);
    }
  free (line);
  if (stream != NULL)
    fclose (stream);
}

/* In an unprivileged child: TABLE is the table of mounts of the first process.
   Answer true if the root directory of this process differs from the one in
   TABLE, and the mount with the number ASKED is not in TABLE.  The child is
   unprivileged, because users choose the paths and sources of their mounts,
   which the child parses.  */
static void
answer_root (const struct reader_file *table, const void *asked,
             struct message *answer)
{
  static struct root own, first;
  const int *number = asked;
  read_root (fdopen (table->fd, "r"), *number, &first);
  read_root (fopen ("/proc/self/mountinfo", "re"), *number, &own);
  message_put_number (answer, !first.has_mount && first.is_known
                                  && own.is_known
                                  && (own.device != first.device
                                      || strcmp (own.path, first.path) != 0));
}

/* Return true if both the root directory and the mount namespace of this
   process differ from those of the first process of its PID namespace.  All
   users may read the table of mounts of the first process.  In a chroot, only
   the root directory differs.  In a service with a mount namespace of its own,
   the root directory is the same as that of the first process.  */
static struct truth
has_own_root (void)
{
  const int fd = open ("/", O_PATH | O_CLOEXEC);
  const int number = fd >= 0 ? mount_number (fd) : -1;
  const int table = open ("/proc/1/mountinfo", O_RDONLY | O_CLOEXEC);
  const struct truth differs
      = number >= 0 && table >= 0
            ? reader_says (table, NULL, answer_root, &number)
            : (struct truth){ TRUTH_UNKNOWN };
  if (fd >= 0)
    close (fd);
  if (table >= 0)
    close (table);
  return differs;
}

/* Return true if this process is in a container without systemd.  A process is
   in a container if its PID namespace differs from that of the machine.  A
   container that shares the PID namespace of the machine has its own root
   directory and its own mount namespace (has_own_root).  Files such as
   /.dockerenv prove nothing, because they also exist in virtual machines made
   from container images.  In a container with systemd, remedies for services
   and commands work as they do outside of containers.  */
static bool
is_in_container (void)
{
  struct stat namespace;
  static struct truth contained;
  if (contained.is == TRUTH_UNKNOWN && unit_systemd_runs ())
    contained.is = TRUTH_NO;
  else if (contained.is == TRUTH_UNKNOWN
           && stat ("/proc/self/ns/pid", &namespace) == 0
           && namespace.st_ino != FIRST_PID_NAMESPACE)
    contained.is = TRUTH_YES;
  else if (contained.is == TRUTH_UNKNOWN)
    contained = has_own_root ();
  /* If it is unknown whether this process is in a container, return false, so
     that the command prints the remedies for a machine.  The next call of this
     function will check again.  */
  return contained.is == TRUTH_YES;
}

enum where
where_runs (const char *group, bool contained)
{
  const char *suffix = strrchr (group, '.');
  if (contained || is_in_container ())
    return WHERE_CONTAINER;
  return (suffix != NULL && strcmp (suffix, ".service") == 0 ? WHERE_SERVICE
                                                             : WHERE_COMMAND);
}

enum where
where_own (void)
{
  return is_in_container () ? WHERE_CONTAINER : WHERE_COMMAND;
}
