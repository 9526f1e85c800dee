/* Markup: HTML output in which all text from outside the program is escaped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Markup comes from string literals only.  Text comes in only through "%" in a
   literal, which escapes it.  So no text can become markup: no other function
   writes text.  */

#ifndef MARKUP_H
#define MARKUP_H

#include <stdio.h>

/* Write the HTML in TEMPLATE to STREAM.  Each "%" is replaced by the next of
   the texts that follow, each a const char *, escaped for text and for quoted
   attributes.  A missing text (NULL) is empty.  */
#define markup(stream, ...) markup_put (stream, "" __VA_ARGS__)
extern void markup_put (FILE *stream, const char *template, ...);

/* Write TEMPLATE without texts: in a style sheet "%" is only a character.  */
#define markup_plain(stream, template) fputs ("" template, stream)

#endif
