/* Small files of /proc and /sys.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include <dl-hugetext-sys.h>

#include "dl-hugetext-procfile.h"

bool
_dl_hugetext_read_start (const char *path, char *buffer, size_t size)
{
  long int fd = sys_open (path);
  if (sys_failed (fd))
    return false;
  long int n = sys_read (fd, buffer, size - 1);
  sys_close (fd);
  if (sys_failed (n))
    return false;
  buffer[n] = '\0';
  return true;
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

bool
_dl_hugetext_read_lines (const char *path, char *line, size_t size,
                         bool (*take) (void *, const char *), void *closure)
{
  return _dl_hugetext_read_opened (sys_open (path), line, size, take, closure);
}

bool
_dl_hugetext_read_opened (long int fd, char *line, size_t size,
                          bool (*take) (void *, const char *), void *closure)
{
  char chunk[512];
  size_t length = 0;
  bool done = false;
  long int n;

  if (sys_failed (fd))
    return false;
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
  return done || n == 0;
}

bool
_dl_hugetext_line_number (const char *line, const char *key, size_t *value)
{
  size_t length = strlen (key);
  if (strncmp (line, key, length) != 0)
    return false;
  line += length;
  *value = _dl_hugetext_take_number (&line, 10);
  return true;
}
