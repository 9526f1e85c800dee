/* Functions that read small files of /proc and /sys.
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

long int
_dl_hugetext_read_lines (const char *path, char *buffer, size_t size,
                         bool (*take) (void *, const char *), void *closure)
{
  const size_t half = size / 2;
  char *const line = buffer, *const chunk = buffer + half;
  size_t length = 0;
  bool done = false;
  long int n = 0, fd = sys_open (path);

  if (sys_failed (fd))
    return fd;
  while (!done && (n = sys_read (fd, chunk, half)) > 0)
    for (long int i = 0; i < n && !done; ++i)
      if (chunk[i] != '\n')
        {
          if (length < half - 1)
            line[length++] = chunk[i];
        }
      else
        {
          line[length] = '\0';
          length = 0;
          done = take (closure, line);
        }
  sys_close (fd);
  return done ? 1 : n;
}

/* A buffer to which append_line appends the beginning of each line of a
   file.  */
struct shortened
{
  char *text;
  size_t length, size;
};

/* Append LINE, a line of a file, to the string in the buffer.  If the string
   has no space for LINE, append nothing and return true, which stops the
   caller.  */
static bool
append_line (void *closure, const char *line)
{
  struct shortened *s = closure;
  const size_t length = strlen (line);
  if (length + sizeof "\n" > s->size - s->length)
    return true;
  memcpy (s->text + s->length, line, length);
  memcpy (s->text + s->length + length, "\n", sizeof "\n");
  s->length += length + 1;
  return false;
}

long int
_dl_hugetext_read_short (const char *path, char *buffer, size_t size)
{
  long int n = _dl_hugetext_read_start (path, buffer, size);
  if (n != (long int) size - 1)
    return n;
  struct shortened s = { .text = buffer, .size = size / 4 * 3 };
  n = _dl_hugetext_read_lines (path, buffer + s.size, size - s.size,
                               append_line, &s);
  return n == 0 ? (long int) s.length : n > 0 ? -EFBIG : n;
}

const char *
_dl_hugetext_find_text (const char *text, const char *key)
{
  /* Compare KEY only where its first two characters match.  Comparing the
     whole KEY at each position of /proc/self/status (1.4 KiB) would take
     longer than the kernel takes to write this file.  */
  const size_t length = strlen (key);
  while ((text = strchr (text, *key)) != NULL
         && (text[1] != key[1] || strncmp (text, key, length) != 0))
    ++text;
  return text != NULL ? text + length : NULL;
}

long int
_dl_hugetext_read_limits (char *buffer, size_t size, bool *space, bool *data)
{
  long int n = _dl_hugetext_read_start ("/proc/self/limits", buffer, size);
  const bool read = !sys_failed (n);
  *space = (read
            && _dl_hugetext_find_text (buffer,
                                       "\nMax address space         unlimited")
                   != NULL);
  *data = (read
           && _dl_hugetext_find_text (buffer,
                                      "\nMax data size             unlimited")
                  != NULL);
  return n;
}
