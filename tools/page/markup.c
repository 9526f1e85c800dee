/* Write HTML: all text except string literals of this program is
   escaped.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "page/markup.h"

#include <stdarg.h>

/* Write TEXT, with an entity in place of each character that has a special
   meaning in HTML. */
static void
put_text (FILE *stream, const char *text)
{
  for (; *text != '\0'; ++text)
    switch (*text)
      {
      case '&':
        fputs ("&amp;", stream);
        break;
      case '<':
        fputs ("&lt;", stream);
        break;
      case '>':
        fputs ("&gt;", stream);
        break;
      case '"':
        fputs ("&quot;", stream);
        break;
      case '\'':
        fputs ("&#39;", stream);
        break;
      default:
        fputc (*text == '\n' ? '?' : *text, stream);
      }
}

void
markup_put (FILE *stream, const char *template, ...)
{
  va_list texts;
  va_start (texts, template);
  for (; *template != '\0'; ++template)
    if (*template == '%')
      {
        const char *text = va_arg (texts, const char *);
        if (text != NULL)
          put_text (stream, text);
      }
    else
      fputc (*template, stream);
  va_end (texts);
}
