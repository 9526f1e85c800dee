/* The lines that "hugetext doctor" prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "check.h"
#include "json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static enum level worst;
static struct json_object *lines; /* NULL: they are printed.  */

const char *
check_word (enum level level)
{
  static const char *const words[] = { "OK", "limited", "missing" };
  return words[level];
}

struct json_object *
check_to_json (void)
{
  return lines = json_object_new_array ();
}

void
check_line (enum level level, const char *what, const char *remedy,
            const char *format, ...)
{
  char *text;
  va_list ap;
  va_start (ap, format);
  int length = vasprintf (&text, format, ap);
  va_end (ap);
  if (level > worst)
    worst = level;
  if (length < 0)
    return;
  if (lines != NULL)
    {
      struct json_object *line = json_object_new_object ();
      json_set_string (line, "level", check_word (level));
      json_set_string (line, "what", what);
      json_set_string (line, "finding", text);
      json_set_string (line, "remedy", level != LEVEL_OK ? remedy : NULL);
      json_object_array_add (lines, line);
    }
  else
    {
      printf ("%-8s %s: %s", check_word (level), what, text);
      if (level != LEVEL_OK)
        printf ("; remedy: %s", remedy);
      putchar ('\n');
    }
  free (text);
}

enum level
check_worst (void)
{
  return worst;
}
