/* The terminal: what standard output can show, and in how many columns.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The columns of the terminal that standard output is; 0 if it is none.  */
extern int terminal_columns (void);

/* TEXT as standard output can show it, in COLUMNS at most (0: any number), to
   BUFFER of SIZE bytes, at least 4.  What is cut off leaves "..." behind;
   what is no character, or controls a terminal, is "?".  */
extern const char *terminal_text (const char *text, int columns, char *buffer,
                                  size_t size);

/* The same, but what is cut off is the beginning, which says least of a
   path.  */
extern const char *terminal_tail (const char *text, int columns, char *buffer,
                                  size_t size);

/* Print TEXT and a newline to STREAM, where COLUMN columns of the line are
   taken already.  On a terminal lines are broken between words, and go on
   after HANG columns; a word that is too long for any line is left whole.  */
extern void terminal_fill (FILE *stream, int column, int hang,
                           const char *text);

/* The same for a whole line, made as by printf.  */
extern void terminal_say (FILE *stream, int hang, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif
