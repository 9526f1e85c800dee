/* The terminal: how many columns it has, and which characters standard output
   can show.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* If standard output is a terminal, return how many columns it has, otherwise
   0.  */
extern int terminal_columns (void);

/* Copy TEXT, in the form that standard output can show, to BUFFER, which has
   SIZE bytes (at least 4).  Use at most COLUMNS columns (0: no limit), and
   replace the text after them by "...".  Bytes that are not a character, or
   control a terminal, become "?".  */
extern const char *terminal_text (const char *text, int columns, char *buffer,
                                  size_t size);

/* Copy TEXT as terminal_text does, but cut off its beginning, because in a
   path the beginning says least.  */
extern const char *terminal_tail (const char *text, int columns, char *buffer,
                                  size_t size);

/* Print TEXT and a newline to STREAM, starting at COLUMN.  On a terminal,
   break lines between words, and indent further lines by HANG columns.  A
   word that is longer than a line is not broken.  */
extern void terminal_fill (FILE *stream, int column, int hang,
                           const char *text);

/* Print a line, formatted like printf, and break it like terminal_fill.  */
extern void terminal_say (FILE *stream, int hang, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif
