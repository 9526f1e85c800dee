/* The terminal: the characters and columns that standard output has.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Return the columns of the terminal of standard output; 0 if it is no
   terminal.  */
extern int terminal_columns (void);

/* Copy TEXT in the form that standard output can show, in at most COLUMNS (0:
   any number), to BUFFER of SIZE bytes, at least 4.  "..." replaces the rest;
   bytes that are no character, or control a terminal, become "?".  */
extern const char *terminal_text (const char *text, int columns, char *buffer,
                                  size_t size);

/* Do the same, but cut off the beginning, which is the least informative part
   of a path.  */
extern const char *terminal_tail (const char *text, int columns, char *buffer,
                                  size_t size);

/* Print TEXT and a newline to STREAM, where COLUMN columns of the line are
   taken already.  On a terminal, lines are broken between words, and go on
   after HANG columns; a word that is too long for a line stays whole.  */
extern void terminal_fill (FILE *stream, int column, int hang,
                           const char *text);

/* Print a whole line, given as for printf, in the same way.  */
extern void terminal_say (FILE *stream, int hang, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif
