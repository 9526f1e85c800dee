/* Write HTML.  All text is escaped, except string literals of this program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   HTML markup comes only from string literals of the program.  Text that is
   not a literal, such as the name of a process, is written only in place of
   "%" in a literal, and is escaped.  All output goes through these functions,
   so no text can become markup.  */

#ifndef MARKUP_H
#define MARKUP_H

#include <stdio.h>

/* Write the HTML in TEMPLATE to STREAM.  Each "%" is replaced by the next
   argument, a const char *, escaped for use in text and in quoted attributes.
   NULL counts as an empty string.  */
#define markup(stream, ...) markup_put (stream, "" __VA_ARGS__)
extern void markup_put (FILE *stream, const char *template, ...);

/* Write TEMPLATE, for example a style sheet, without replacing "%".  */
#define markup_plain(stream, template) fputs ("" template, stream)

#endif
