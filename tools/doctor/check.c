/* The lines that "hugetext doctor" prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/check.h"
#include "text/json.h"
#include "util/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static enum level worst;
static struct json_object *lines; /* The lines as JSON, NULL if they are
                                     printed.  */

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

static void
print_line (enum level level, const char *what, const char *text,
            const char *remedy)
{
  enum
  {
    LEVELS = 9, /* Columns of the levels.  */
  };
  char *line;
  bool split = terminal_columns () > 0;
  if (level == LEVEL_OK)
    remedy = NULL;
  if (asprintf (&line, "%s: %s%s%s", what, text,
                remedy == NULL || split ? "" : "; remedy: ",
                remedy == NULL || split ? "" : remedy)
      < 0)
    return;
  printf ("%-*s", LEVELS, check_word (level));
  terminal_fill (stdout, LEVELS, LEVELS, line);
  /* Do not break the remedy, since most have a command in them.  */
  if (remedy != NULL && split)
    printf ("%*sremedy: %s\n", LEVELS, "", remedy);
  free (line);
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
    print_line (level, what, text, remedy);
  free (text);
}

enum level
check_worst (void)
{
  return worst;
}
