/* Small files of /proc and /sys.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include <dl-hugetext-sys.h>

#include "dl-hugetext-procfile.h"

long int
_dl_hugetext_read_opened (long int fd, char *buffer, size_t size)
{
  *buffer = '\0';
  if (sys_failed (fd))
    return fd;
  long int n = sys_read (fd, buffer, size - 1);
  sys_close (fd);
  if (!sys_failed (n))
    buffer[n] = '\0';
  return n;
}

bool
_dl_hugetext_read_start (const char *path, char *buffer, size_t size)
{
  return !sys_failed (
      _dl_hugetext_read_opened (sys_open (path), buffer, size));
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

long int
_dl_hugetext_read_lines (const char *path, char *line, size_t size,
                         bool (*take) (void *, const char *), void *closure)
{
  char chunk[512];
  size_t length = 0;
  bool done = false;
  long int n = 0, fd = sys_open (path);

  if (sys_failed (fd))
    return fd;
  while (!done && (n = sys_read (fd, chunk, sizeof chunk)) > 0)
    for (long int i = 0; i < n && !done; ++i)
      if (chunk[i] != '\n')
        {
          if (length < size - 1)
            line[length++] = chunk[i];
        }
      else
        {
          line[length] = '\0';
          length = 0;
          done = take (closure, line);
        }
  sys_close (fd);
  return done ? 0 : n;
}
