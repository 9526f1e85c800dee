/* System calls for those files of the loader that are also compiled into the
   command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In the command, this header replaces elf/core/dl-hugetext-sys.h, which needs
   glibc's source.  The functions in this header call libc, and return a
   negative error number on failure.  Paths refer to the machine that machine.h
   describes.  */

#ifndef _DL_HUGETEXT_SYS_H
#define _DL_HUGETEXT_SYS_H 1

#include "host/machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

struct sys_limit
{
  uint64_t current, maximum;
};

static inline bool
sys_failed (long int result)
{
  return result < 0;
}

static inline long int
sys_open (const char *path)
{
  int fd = machine_open (path);
  return fd < 0 ? -errno : fd;
}

static inline long int
sys_read (int fd, void *buffer, size_t length)
{
  ssize_t n = read (fd, buffer, length);
  return n < 0 ? -errno : n;
}

static inline long int
sys_close (int fd)
{
  return close (fd) < 0 ? -errno : 0;
}

static inline long int
sys_prlimit (int resource, struct sys_limit *limit)
{
  struct rlimit64 current = { 0 };
  int result = getrlimit64 (resource, &current);
  *limit = (struct sys_limit){ current.rlim_cur, current.rlim_max };
  return result < 0 ? -errno : 0;
}

#endif /* dl-hugetext-sys.h */
