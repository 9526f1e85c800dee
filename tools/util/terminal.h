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

/* Copy TEXT to BUFFER, which has SIZE bytes (at least 4), in a form that
   standard output can show.  If TEXT needs more than COLUMNS columns, replace
   the end of TEXT by "..."; COLUMNS 0 means that there is no limit.  Replace
   bytes that are not part of a character, or that control a terminal, by
   "?".  */
extern const char *terminal_text (const char *text, int columns, char *buffer,
                                  size_t size);

/* Copy TEXT to BUFFER like terminal_text.  If TEXT is too long, replace its
   beginning instead of its end, because the end of a path is more useful.  */
extern const char *terminal_tail (const char *text, int columns, char *buffer,
                                  size_t size);

/* Print TEXT and a newline to STREAM, starting at COLUMN.  On a terminal,
   break lines between words, and indent further lines by HANG columns.  The
   function does not break a word that is longer than a line.  */
extern void terminal_fill (FILE *stream, int column, int hang,
                           const char *text);

/* Format a line like printf, and print it with line breaks
   (terminal_fill).  */
extern void terminal_say (FILE *stream, int hang, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

#endif
