/* Small files of /proc and /sys.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include <dl-hugetext-sys.h>

#include "dl-hugetext-procfile.h"

long int
_dl_hugetext_read_start (const char *path, char *buffer, size_t size)
{
  long int fd = sys_open (path);
  *buffer = '\0';
  if (sys_failed (fd))
    return fd;
  long int n = sys_read (fd, buffer, size - 1);
  sys_close (fd);
  if (!sys_failed (n))
    buffer[n] = '\0';
  return n;
}

const char *
_dl_hugetext_find_text (const char *haystack, const char *needle)
{
  size_t length = strlen (needle);
  for (; *haystack != '\0'; ++haystack)
    if (strncmp (haystack, needle, length) == 0)
      return haystack + length;
  return NULL;
}
