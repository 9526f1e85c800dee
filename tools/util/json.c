/* JSON: short names for json-c's functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/json.h"
#include "util/filelist.h"
#include "util/output.h"
#include "util/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct json_object *
json_string (const char *value)
{
  char *clean = value != NULL ? strdup (value) : NULL;
  if (clean == NULL)
    return NULL;
  printable_string (clean);
  struct json_object *string = json_object_new_string (clean);
  free (clean);
  return string;
}

void
json_set_string (struct json_object *object, const char *key,
                 const char *value)
{
  json_object_object_add (object, key, json_string (value));
}

void
json_set_number (struct json_object *object, const char *key, int64_t value)
{
  json_object_object_add (object, key, json_object_new_int64 (value));
}

void
json_set_fraction (struct json_object *object, const char *key, double value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%.3f", value);
  json_object_object_add (object, key,
                          json_object_new_double_s (value, digits));
}

struct json_object *
json_precise (double value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%.9g", value);
  return isfinite (value) ? json_object_new_double_s (value, digits) : NULL;
}

void
json_set_true_false (struct json_object *object, const char *key, bool value)
{
  json_object_object_add (object, key, json_object_new_boolean (value));
}

void
json_set_address (struct json_object *object, const char *key, uintptr_t value)
{
  char text[32];
  snprintf (text, sizeof text, "0x%" PRIxPTR, value);
  json_set_string (object, key, text);
}

struct json_object *
json_names (const struct file_list *files)
{
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; i < files->count; ++i)
    json_object_array_add (array, json_string (files->names[i]));
  return array;
}

struct json_object *
json_begin (void)
{
  struct json_object *json = json_object_new_object ();
  json_set_number (json, "version", 1);
  return json;
}

const char *
json_text (struct json_object *object)
{
  return json_object_to_json_string_ext (
      object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED
                  | JSON_C_TO_STRING_NOSLASHESCAPE);
}

void
json_print (FILE *stream, struct json_object *object)
{
  /* json-c escapes newlines in strings, so all newlines in the text are
     between JSON's elements, and may be printed.  */
  output_lines (stream, json_text (object));
  fputc ('\n', stream);
  json_object_put (object);
}
