/* A library for LD_PRELOAD: opening a file whose name ends with ".slow" takes
   a second.  The library waits in a loop without system calls, because the
   seccomp filters of some of hugetext's processes forbid sleeping.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#define ENDING ".slow"

static void
wait_for (const char *name)
{
  const size_t length = strlen (name), ending = strlen (ENDING);
  struct timespec now;
  if (length < ending || strcmp (name + length - ending, ENDING) != 0)
    return;
  clock_gettime (CLOCK_MONOTONIC, &now);
  const time_t end = now.tv_sec + 1;
  const long int rest = now.tv_nsec;
  while (now.tv_sec < end || (now.tv_sec == end && now.tv_nsec < rest))
    clock_gettime (CLOCK_MONOTONIC, &now);
}

int
openat (int dir, const char *name, int flags, ...)
{
  int (*next) (int, const char *, int, ...) = dlsym (RTLD_NEXT, "openat");
  va_list arguments;
  va_start (arguments, flags);
  const mode_t mode = va_arg (arguments, mode_t);
  va_end (arguments);
  wait_for (name);
  return next (dir, name, flags, mode);
}

int
open (const char *name, int flags, ...)
{
  int (*next) (const char *, int, ...) = dlsym (RTLD_NEXT, "open");
  va_list arguments;
  va_start (arguments, flags);
  const mode_t mode = va_arg (arguments, mode_t);
  va_end (arguments);
  wait_for (name);
  return next (name, flags, mode);
}
