/* JSON values: made, put together and printed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct json
{
  char brackets[2];          /* Around the members; 0 if there can be none.  */
  char *key;                 /* Its name in an object.  */
  char *text;                /* A string, or the value as it is printed.  */
  bool quoted;               /* It is a string.  */
  struct json *first, *last; /* The members, */
  struct json *next;         /* and the one behind this one.  */
};

static struct json *
new_value (const char *text, bool quoted)
{
  struct json *value = calloc (1, sizeof *value);
  if (value == NULL)
    return NULL;
  value->quoted = quoted;
  value->text = strdup (text);
  return value;
}

static struct json *
new_list (char begin, char end)
{
  struct json *value = new_value ("", false);
  if (value != NULL)
    memcpy (value->brackets, (char[]){ begin, end }, 2);
  return value;
}

struct json *
json_new_object (void)
{
  return new_list ('{', '}');
}

struct json *
json_new_array (void)
{
  return new_list ('[', ']');
}

struct json *
json_new_string (const char *value)
{
  return new_value (value, true);
}

struct json *
json_new_digits (const char *digits)
{
  return new_value (digits, false);
}

struct json *
json_new_number (int64_t value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%" PRId64, value);
  return json_new_digits (digits);
}

struct json *
json_new_true_false (bool value)
{
  return new_value (value ? "true" : "false", false);
}

void
json_append (struct json *array, struct json *value)
{
  if (value == NULL)
    value = new_value ("null", false);
  if (array == NULL || value == NULL)
    {
      json_free (value);
      return;
    }
  if (array->last != NULL)
    array->last->next = value;
  else
    array->first = value;
  array->last = value;
}

void
json_set (struct json *object, const char *key, struct json *value)
{
  if (value == NULL)
    value = new_value ("null", false);
  if (value != NULL)
    value->key = strdup (key);
  json_append (object, value);
}

static void
write_string (FILE *stream, const char *string)
{
  putc ('"', stream);
  for (const char *c = string != NULL ? string : ""; *c != '\0'; ++c)
    if ((unsigned char) *c < ' ')
      fprintf (stream, "\\u%04x", (unsigned int) *c);
    else
      fprintf (stream, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  putc ('"', stream);
}

/* Begin a line at DEPTH, unless all is on one.  */
static void
begin_line (FILE *stream, bool line, int depth)
{
  if (!line)
    fprintf (stream, "\n%*s", 2 * depth, "");
}

static void
write_value (FILE *stream, const struct json *value, bool line, int depth)
{
  if (value->quoted)
    write_string (stream, value->text);
  else if (value->brackets[0] == '\0')
    fputs (value->text != NULL ? value->text : "null", stream);
  else
    {
      putc (value->brackets[0], stream);
      for (const struct json *at = value->first; at != NULL; at = at->next)
        {
          begin_line (stream, line, depth + 1);
          if (at->key != NULL)
            {
              write_string (stream, at->key);
              fputs (line ? ":" : ": ", stream);
            }
          write_value (stream, at, line, depth + 1);
          if (at->next != NULL)
            putc (',', stream);
        }
      if (value->first != NULL)
        begin_line (stream, line, depth);
      putc (value->brackets[1], stream);
    }
}

void
json_write (FILE *stream, const struct json *value, bool line)
{
  if (value != NULL)
    write_value (stream, value, line, 0);
}

void
json_free (struct json *value)
{
  while (value != NULL)
    {
      struct json *next = value->next;
      json_free (value->first);
      free (value->key);
      free (value->text);
      free (value);
      value = next;
    }
}
