/* Printable text: words that other users have chosen, made fit to be shown.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Replace each of the SIZE bytes at TEXT that belongs to no printable UTF-8
   character by "?": control characters (C0, DEL, C1), characters that change
   the direction of text or separate lines, and bytes that are no UTF-8.  If
   LINES, newlines and tabs stay.  If MORE follows, an incomplete character at
   the end is left.  Return the number of bytes that are done.  */
extern size_t printable (char *text, size_t size, bool lines, bool more);

/* Make TEXT printable, newlines included.  */
extern void printable_string (char *text);

/* Whether printable_string would leave TEXT as it is.  */
extern bool is_printable (const char *text);

#endif
