/* Functions that read small files of /proc and /sys.  The functions that read
   files use no stdio and no locale, and allocate no memory.  Both the loader
   and the command use these functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_PROCFILE_H
#define _DL_HUGETEXT_PROCFILE_H 1

#include "dl-hugetext-names.h"

/* Read at most the first SIZE - 1 bytes of the file PATH as a string into
   BUFFER, which has SIZE bytes.  Return the length of the string, or a
   negative error number.  */
extern long int _dl_hugetext_read_start (const char *path, char *buffer,
                                         size_t size) attribute_hidden;

/* Read the whole file PATH as a string into BUFFER, which has SIZE bytes.  If
   the file is longer than BUFFER, read only the first SIZE / 8 - 1 characters
   of each line.  If the file is longer than BUFFER even with shortened lines,
   fail.  Because the function shortens lines, it can read /proc/PID/status
   even if the line "Groups:" of this file is very long.  Return the length of
   the string, or a negative error number.  */
extern long int _dl_hugetext_read_short (const char *path, char *buffer,
                                         size_t size) attribute_hidden;

/* Call TAKE with CLOSURE for each line of the file PATH until TAKE returns
   true.  The function passes TAKE at most the first SIZE / 2 - 1 characters of
   a line.  Return 1 if TAKE returned true, 0 at the end of the file, or a
   negative error number.  The function uses BUFFER, of SIZE bytes, as scratch
   space.  */
extern long int _dl_hugetext_read_lines (const char *path, char *buffer,
                                         size_t size,
                                         bool (*take) (void *, const char *),
                                         void *closure) attribute_hidden;

/* Return the text after the first occurrence of KEY in TEXT, or NULL.  */
extern const char *_dl_hugetext_find_text (const char *text,
                                           const char *key) attribute_hidden;

/* Read /proc/self/limits.  Set SPACE to true if the process may map unlimited
   address space (RLIMIT_AS), otherwise to false.  Set DATA to true if the
   process may use unlimited data (RLIMIT_DATA), otherwise to false.  Return
   the number of bytes that were read, or a negative error number.  The
   function uses BUFFER, of SIZE bytes, as scratch space.  */
extern long int _dl_hugetext_read_limits (char *buffer, size_t size,
                                          bool *space,
                                          bool *data) attribute_hidden;

/* Skip blanks at *TEXT, read a number in BASE (at most 16), and advance *TEXT
   past the number.  Return SIZE_MAX if there is no number, or if the number
   does not fit in a size_t.  */
static inline size_t
_dl_hugetext_take_number (const char **text, unsigned int base)
{
  size_t value = 0;
  bool known = false, large = false;
  while (**text == ' ' || **text == '\t')
    ++*text;
  for (;; ++*text)
    {
      unsigned int c = (unsigned char) **text;
      unsigned int digit = (c >= '0' && c <= '9'   ? c - '0'
                            : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                   : base);
      if (digit >= base)
        return known && !large ? value : SIZE_MAX;
      known = true;
      large |= (__builtin_mul_overflow (value, base, &value)
                || __builtin_add_overflow (value, digit, &value));
    }
}

/* Return the number at the beginning of TEXT.  Return 0 if TEXT is NULL or
   does not begin with a number.  */
static inline size_t
_dl_hugetext_number_at (const char *text)
{
  size_t n = text != NULL ? _dl_hugetext_take_number (&text, 10) : SIZE_MAX;
  return n != SIZE_MAX ? n : 0;
}

/* Return the number that follows the first occurrence of KEY in TEXT, or 0 if
   no number follows.  */
static inline size_t
_dl_hugetext_number_after (const char *text, const char *key)
{
  return _dl_hugetext_number_at (_dl_hugetext_find_text (text, key));
}

#endif /* dl-hugetext-procfile.h */
