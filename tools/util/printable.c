/* Printable text: make text from other users safe to print.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Other users choose the names of processes, files, units and control groups,
   and the contents of profiles and settings.  Terminals obey control
   characters of 7 bits and of 8 bits, and show text after U+202E from right to
   left.  */

#include "util/printable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Return the length in bytes of a UTF-8 character whose first byte is FIRST,
   or 0 if no character begins with FIRST.  */
static size_t
printable_get_length (unsigned char first)
{
  return first < 0x80   ? 1
         : first < 0xc2 ? 0
         : first < 0xe0 ? 2
         : first < 0xf0 ? 3
         : first < 0xf5 ? 4
                        : 0;
}

/* Return the character that the LENGTH bytes at TEXT encode, or UINT32_MAX if
   the bytes are invalid.  */
static uint32_t
decode (const unsigned char *text, size_t length)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  uint32_t c = length == 1 ? text[0] : text[0] & (0x7f >> length);
  for (size_t i = 1; i < length; ++i)
    {
      if ((text[i] & 0xc0) != 0x80)
        return UINT32_MAX;
      c = c << 6 | (text[i] & 0x3f);
    }
  /* Refuse an encoding that is longer than necessary, a surrogate, and a
     number above the last character.  */
  return (c < least[length] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff
              ? UINT32_MAX
              : c);
}

/* Return true if C is a control character, changes the direction of text, or
   separates lines.  */
static bool
is_control (uint32_t c)
{
  return (c < 0x20
          || (c >= 0x7f && c <= 0x9f)
          /* Characters that mark, override or isolate the direction of text,
             and separators of lines and paragraphs (Unicode, UAX 9).  */
          || c == 0x61c || c == 0x200e || c == 0x200f
          || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069));
}

size_t
printable (char *text, size_t size, bool lines, bool more)
{
  unsigned char *p = (unsigned char *) text;
  size_t i = 0;
  while (i < size)
    {
      size_t length = printable_get_length (p[i]);
      if (length > size - i && more)
        break;
      uint32_t c = length == 0 || length > size - i ? UINT32_MAX
                                                    : decode (p + i, length);
      size_t step = c == UINT32_MAX ? 1 : length;
      if (c == UINT32_MAX
          || (is_control (c) && !(lines && (c == '\n' || c == '\t'))))
        memset (p + i, '?', step);
      i += step;
    }
  return i;
}

void
printable_string (char *text)
{
  printable (text, strlen (text), false, false);
}

bool
is_printable (const char *text)
{
  char *copy = strdup (text);
  if (copy == NULL)
    return false;
  printable_string (copy);
  bool same = strcmp (copy, text) == 0;
  free (copy);
  return same;
}

bool
is_plain_word (const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@,-";
  return text[0] != '\0' && text[strspn (text, plain)] == '\0';
}
