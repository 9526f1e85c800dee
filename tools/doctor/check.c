/* The lines that "hugetext doctor" prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "doctor/doctor.h"
#include "text/json.h"
#include "util/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static enum doctor_level worst;
static struct json_object *lines; /* The lines as JSON, NULL if they are
                                     printed.  */

const char *
doctor_word (enum doctor_level level)
{
  static const char *const words[] = { "OK", "limited", "missing" };
  return words[level];
}

struct json_object *
doctor_to_json (void)
{
  return lines = json_object_new_array ();
}

static void
print_line (enum doctor_level level, const char *what, const char *text,
            const char *remedy)
{
  const int levels = 9; /* Columns of the levels.  */
  char *line;
  bool split = terminal_columns () > 0;
  if (level == LEVEL_OK)
    remedy = NULL;
  if (asprintf (&line, "%s: %s%s%s", what, text,
                remedy == NULL || split ? "" : "; remedy: ",
                remedy == NULL || split ? "" : remedy)
      < 0)
    return;
  printf ("%-*s", levels, doctor_word (level));
  terminal_fill (stdout, levels, levels, line);
  /* Do not break the remedy, since most have a command in them.  */
  if (remedy != NULL && split)
    printf ("%*sremedy: %s\n", levels, "", remedy);
  free (line);
}

void
doctor_say (enum doctor_level level, const char *what, const char *remedy,
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
      json_set_string (line, "level", doctor_word (level));
      json_set_string (line, "what", what);
      json_set_string (line, "finding", text);
      json_set_string (line, "remedy", level != LEVEL_OK ? remedy : NULL);
      json_object_array_add (lines, line);
    }
  else
    print_line (level, what, text, remedy);
  free (text);
}

enum doctor_level
doctor_worst (void)
{
  return worst;
}
