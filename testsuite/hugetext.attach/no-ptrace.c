/* A library for LD_PRELOAD: ptrace fails, and the memory of other processes
   cannot be opened for writing, as if Yama or another security module forbade
   it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

long
ptrace (int request, ...)
{
  (void) request;
  errno = EPERM;
  return -1;
}

int
open (const char *path, int flags, ...)
{
  va_list rest;
  va_start (rest, flags);
  const mode_t mode
      = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (rest, mode_t) : 0;
  va_end (rest);
  const char *end = strrchr (path, '/');
  if (strncmp (path, "/proc/", 6) == 0 && strcmp (end, "/mem") == 0
      && (flags & O_ACCMODE) == O_RDWR)
    {
      errno = EACCES;
      return -1;
    }
  return syscall (SYS_openat, AT_FDCWD, path, flags, mode);
}
