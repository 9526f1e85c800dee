/* Printable text: words that others have chosen, made fit to be shown.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Replace each byte of the SIZE at TEXT by "?" that is not of a printable
   character in UTF-8: control characters (C0, DEL, C1), what turns the
   direction of text or separates lines, and what is no UTF-8.  If LINES,
   newlines and tabs stay.  If MORE follows, a character that is not all there
   is left at the end.  Returns how many bytes are done.  */
extern size_t printable (char *text, size_t size, bool lines, bool more);

/* The same for a string, which gets "?" for a newline, too.  */
extern void printable_string (char *text);

/* Whether it would be left as it is.  */
extern bool is_printable (const char *text);

#endif
