/* Printable text: make text from other users safe to print.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRINTABLE_H
#define PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* In the SIZE bytes at TEXT, replace each byte that is not part of a printable
   UTF-8 character by "?".  Control characters (C0, DEL, C1), characters that
   change the direction of text or separate lines, and invalid UTF-8 are not
   printable.  If LINES is true, keep newlines and tabs.  If MORE is true,
   more text will follow, so do not process an incomplete character at the end
   of TEXT.  Return how many bytes were processed.  */
extern size_t printable (char *text, size_t size, bool lines, bool more);

/* Make TEXT printable; also replace newlines.  */
extern void printable_string (char *text);

/* Return true if TEXT needs no quotes in a shell.  */
extern bool is_plain_word (const char *text);

/* Return true if printable_string would not change TEXT.  */
extern bool is_printable (const char *text);

#endif
