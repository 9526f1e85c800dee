/* A child that waits before each of its steps until its parent tells it to
   continue.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "run/held.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int
held_fork (pid_t *pid)
{
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return -1;
  *pid = fork ();
  const int error = errno;
  close (ends[*pid != 0]);
  if (*pid < 0)
    close (ends[0]);
  errno = error;
  return *pid < 0 ? -1 : ends[*pid == 0];
}

bool
held_tell (int fd)
{
  return send (fd, "", 1, MSG_NOSIGNAL) == 1;
}

bool
held_wait (int fd)
{
  char byte;
  ssize_t n;
  while ((n = read (fd, &byte, 1)) < 0 && errno == EINTR)
    continue;
  return n == 1;
}
