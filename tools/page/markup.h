/* Markup: HTML in which whatever is not the program's own is escaped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Markup comes from string literals only, and text only through "%" in them,
   which escapes it.  So no text can become markup: there is no function that
   writes text in another way.  */

#ifndef MARKUP_H
#define MARKUP_H

#include <stdio.h>

/* Write TEMPLATE, HTML, to STREAM, with the texts that follow, each a
   const char *, in the places of "%", escaped for text and for attributes in
   quotes.  A missing text (NULL) is empty.  */
#define markup(stream, ...) markup_put (stream, "" __VA_ARGS__)
extern void markup_put (FILE *stream, const char *template, ...);

/* Write TEMPLATE without texts: in a style sheet "%" is only a character.  */
#define markup_plain(stream, template) fputs ("" template, stream)

#endif
