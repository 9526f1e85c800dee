/* Functions of <string.h> for hugetext-code.so, which uses no libc.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Files of the loader that are also part of hugetext-code.so call these
   functions.  This file does not include <string.h>, because from glibc 2.43
   on <string.h> defines macros with the names of these functions.  */

#include <stddef.h>

size_t
strlen (const char *s)
{
  size_t n = 0;
  while (s[n] != '\0')
    ++n;
  return n;
}

char *
strchr (const char *s, int c)
{
  while (*s != (char) c)
    if (*s++ == '\0')
      return NULL;
  return (char *) s;
}

int
strncmp (const char *a, const char *b, size_t n)
{
  for (; n > 0; ++a, ++b, --n)
    if (*a != *b || *a == '\0')
      return (unsigned char) *a - (unsigned char) *b;
  return 0;
}

void *
memcpy (void *restrict to, const void *restrict from, size_t n)
{
  char *t = to;
  const char *f = from;
  while (n-- > 0)
    *t++ = *f++;
  return to;
}

void *
memset (void *to, int c, size_t n)
{
  char *t = to;
  while (n-- > 0)
    *t++ = c;
  return to;
}
