/* Locks: root's commands wait for one another, but only up to a time limit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   A lock is a file that only root can open.  Other users could lock any file
   that they can read, and so make root wait.  The process that holds the lock
   writes its own ID and name to the file.  Do not look up a process by the ID
   in the file, because the ID may belong to another process by now.  */

#include "trust/lock.h"
#include "util/clock.h"
#include "util/printable.h"
#include "util/count.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum
{
  NAME = 32, /* The size of a buffer for the name of a process.  */
};

/* Return a description of the process that holds the lock FD, in static
   memory.  */
static const char *
holder (int fd)
{
  static char text[96];
  char line[16 + NAME] = "", name[NAME] = "another command";
  int pid = 0;
  (void) !pread (fd, line, sizeof line - 1, 0);
  sscanf (line, "%d %31[^\n]", &pid, name);
  printable_string (name);
  if (pid > 0)
    snprintf (text, sizeof text, "%s (process %d)", name, pid);
  else
    snprintf (text, sizeof text, "another command");
  return text;
}

/* The number of milliseconds after which the command reports that it is
   waiting.  */
#define SHORT_WAIT 1000

/* Take the lock FD; the parameters are those of lock_take.  */
static bool
lock_wait_for_lock (int fd, int64_t end, const char *who, const char *what,
                    struct problem *problem)
{
  const int64_t begin = clock_milliseconds ();
  while (flock (fd, LOCK_EX | LOCK_NB) != 0)
    {
      const int error = errno;
      const int64_t now = clock_milliseconds ();
      if (error == EINTR)
        continue;
      if (error != EWOULDBLOCK)
        return problem_system (problem, error);
      if (now >= end)
        return problem_set (problem, "%s holds the lock", holder (fd));
      if (who != NULL && now >= begin + SHORT_WAIT)
        {
          fprintf (stderr,
                   "%s: %s: %s holds the lock; waiting for " COUNT_FORMAT " at"
                   " most\n",
                   who, what, holder (fd),
                   COUNT ((end - now + 999) / 1000, "second"));
          who = NULL;
        }
      nanosleep (&(struct timespec){ .tv_nsec = 50 * 1000 * 1000 }, NULL);
    }
  return true;
}

int
lock_open (const char *path)
{
  return open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Change the lock of NUMBER in the file of FD to TYPE.  The lock belongs to
   the open file description, so children have it too.  */
static bool
set_lock (int fd, int64_t number, int type)
{
  struct flock lock = {
    .l_type = type, .l_whence = SEEK_SET, .l_start = number, .l_len = 1
  };
  return fcntl (fd, F_OFD_SETLK, &lock) == 0;
}

bool
lock_number (int fd, int64_t number)
{
  return set_lock (fd, number, F_WRLCK)
         || (errno != EAGAIN && errno != EACCES);
}

void
unlock_number (int fd, int64_t number)
{
  set_lock (fd, number, F_UNLCK);
}

int
lock_take (const char *path, int64_t end, const char *who, const char *what,
           struct problem *problem)
{
  char line[16 + NAME], name[NAME] = "";
  int fd = lock_open (path);
  const bool good = fd >= 0 ? lock_wait_for_lock (fd, end, who, what, problem)
                            : problem_system (problem, errno);
  if (!good)
    {
      if (fd >= 0)
        close (fd);
      return -1;
    }
  /* Ignore a failed write, for example on a full disk, because the contents of
     the lock file are only for messages.  */
  prctl (PR_GET_NAME, name, 0, 0, 0);
  int length = snprintf (line, sizeof line, "%d %s\n", (int) getpid (), name);
  if (ftruncate (fd, 0) == 0)
    (void) !pwrite (fd, line, length, 0);
  return fd;
}
