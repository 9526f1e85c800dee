/* Run a program on a mount where a fanotify listener denies access to the
   images in the store.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   deny MOUNT LOG COMMAND...

   The listener uses fanotify, as fapolicyd does, but only on this one mount: a
   process that opens a file in a directory "store" gets EPERM, and the
   listener writes a line to LOG.  The exit status is 77 if the kernel has no
   fanotify.  */

#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Allow or deny EVENT of GROUP.  */
static void
decide (int group, const struct fanotify_event_metadata *event, int log)
{
  char link[64], path[PATH_MAX];
  struct fanotify_response answer = { .fd = event->fd, .response = FAN_ALLOW };
  snprintf (link, sizeof link, "/proc/self/fd/%d", event->fd);
  ssize_t length = readlink (link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  if (strstr (path, "/store/") != NULL)
    {
      answer.response = FAN_DENY;
      dprintf (log, "%s\n", path);
    }
  if (write (group, &answer, sizeof answer) != sizeof answer)
    err (1, "answer");
  close (event->fd);
}

/* Allow or deny each event of GROUP until process PROGRAM ends.  Return at
   once if PROGRAM has ended before prctl asked for a signal.  */
static void
guard (int group, int log, pid_t program)
{
  static struct fanotify_event_metadata events[64];
  ssize_t size;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != program)
    return;
  while ((size = read (group, events, sizeof events)) > 0)
    for (struct fanotify_event_metadata *event = events;
         FAN_EVENT_OK (event, size); event = FAN_EVENT_NEXT (event, size))
      decide (group, event, log);
}

int
main (int argc, char **argv)
{
  if (argc < 4)
    errx (2, "usage: deny MOUNT LOG COMMAND...");
  int log = open (argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int group
      = fanotify_init (FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
  if (group < 0
      || fanotify_mark (group, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN_PERM,
                        AT_FDCWD, argv[1])
             != 0)
    {
      warn ("fanotify");
      return 77;
    }
  pid_t program = getpid ();
  if (fork () == 0)
    {
      guard (group, log, program);
      _exit (1);
    }
  close (group);
  execvp (argv[3], argv + 3);
  err (127, "%s", argv[3]);
}
