/* The terminal: the columns of standard output and the characters that it can
   show.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Return the columns of the terminal that is standard output, or 0 if
   standard output is not a terminal.  */
extern int terminal_columns (void);

/* Copy TEXT, as standard output can show it, to BUFFER of SIZE bytes, at least
   4.  Use at most COLUMNS columns (0: no limit), and replace the rest by
   "...".  Bytes that are not a character, or control a terminal, become
   "?".  */
extern const char *terminal_text (const char *text, int columns, char *buffer,
                                  size_t size);

/* Copy TEXT as terminal_text does, but cut off its beginning, the least
   informative part of a path.  */
extern const char *terminal_tail (const char *text, int columns, char *buffer,
                                  size_t size);

/* Print TEXT and a newline to STREAM, starting at COLUMN.  On a terminal,
   lines are broken between words and continue after HANG columns; a word that
   is too long for a line stays whole.  */
extern void terminal_fill (FILE *stream, int column, int hang,
                           const char *text);

/* Print a whole line, formatted as by printf, with line breaks as
   terminal_fill makes them.  */
extern void terminal_say (FILE *stream, int hang, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif
