/* JSON about the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/json.h"
#include "text/columns.h"
#include "object/settings.h"
#include "host/procmaps.h"
#include "text/report.h"
#include "util/output.h"

#include <stdlib.h>
#include <string.h>

struct json_object *
json_backings (unsigned int backing)
{
  char names[40], *rest = NULL;
  struct json_object *array = json_object_new_array ();
  backing_names (backing, names);
  if (backing != 0)
    for (char *name = strtok_r (names, "+", &rest); name != NULL;
         name = strtok_r (NULL, "+", &rest))
      json_object_array_add (array, json_object_new_string (name));
  return array;
}

struct json_object *
json_percent (double value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%.2f", column_share_shown (value, 0.01));
  return value < 0 ? NULL : json_object_new_double_s (value, digits);
}

#define TEXT_TYPE(id, c, text, json, schema) \
  static struct json_object *json_##id (c value) { return (json); }
#include "text/columns.def"

struct json_object *
json_column (enum column column, const struct text_sums *sums)
{
  /* The parentheses make the compiler report a column whose type has no
     row.  */
  switch (column)
    {
#define TEXT_COLUMN(id, heading, width, json, type, value, help) \
  case COLUMN_##id:                                              \
    return (json_##type) (value);
#include "text/columns.def"
    case COLUMNS:
      break;
    }
  return NULL;
}

void
json_set_sums (struct json_object *object, const struct text_sums *sums)
{
  for (enum column i = 0; i < COLUMNS; ++i)
    json_object_object_add (object, column_rows[i].json,
                            json_column (i, sums));
}

/* Return the blocks of OBJECT as runs of adjacent blocks, with a letter for
   each block.  */
static struct json_object *
block_runs (const struct object_text *object)
{
  struct json_object *array = json_object_new_array ();
  char *letters = malloc (object->nblocks + 1);
  for (size_t i = 0, n; letters != NULL && i < object->nblocks; i += n)
    {
      const struct text_block *first = &object->blocks[i];
      for (n = 0; i + n < object->nblocks
                  && first[n].start == first->start + n * procmaps_block ();
           n++)
        letters[n] = report_letter (&first[n]);
      letters[n] = '\0';
      struct json_object *run = json_object_new_object ();
      json_set_address (run, "address", first->start);
      json_set_string (run, "blocks", letters);
      json_object_array_add (array, run);
    }
  free (letters);
  return array;
}

static struct json_object *
one_object (const struct object_text *object)
{
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "name", object->name);
  json_set_address (json, "bias", object->no_headers ? 0 : object->bias);
  json_set_sums (json, &object->sums);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    json_set_true_false (json, observer_key (k), object->unseen[k]);
  json_object_object_add (json, "maps", block_runs (object));
  return json;
}

struct json_object *
json_process (const struct process *process, const char *exe,
              const char *loader, const struct object_list *objects)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *array = json_object_new_array ();
  struct json_object *made = json_object_new_object ();
  struct text_sums sums = report_sums (objects);

  json_set_number (json, "pid", process->pid);
  json_set_string (json, "name", process->name);
  json_set_string (json, "exe", exe);
  json_set_string (json, "loader", loader);
  json_set_sums (json, &sums);
  for (size_t i = 0; i < objects->count; ++i)
    json_object_array_add (array, one_object (&objects->list[i]));
  json_object_object_add (json, "objects", array);
  json_set_sums (made, &objects->made.sums);
  json_object_object_add (made, "maps", block_runs (&objects->made));
  json_object_object_add (json, "made_at_run_time", made);
  return json;
}

struct json_object *
json_cost (const struct cost *cost)
{
  struct json_object *json = json_object_new_object ();
  json_set_number (json, "copies_bytes", cost->copies);
  json_set_number (json, "copies_primed_bytes", cost->unfit);
  json_set_number (json, "images_bytes", cost->images);
  return json;
}

struct json_object *
json_settings (const struct settings *settings)
{
  struct json_object *json = json_object_new_object ();
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *words = settings_words (settings, key);
      if (words == NULL)
        continue;
      struct json_object *setting = json_object_new_object ();
      json_set_string (setting, "value", words);
      json_set_string (setting, "source", settings_source (settings, key));
      json_object_object_add (json, settings_key (key), setting);
    }
  return json;
}

void
answer_begin (struct answer *answer, const char *verb, bool json)
{
  *answer = (struct answer){ .verb = verb,
                             .json = json,
                             .all = json_begin (),
                             .problems = json_object_new_array () };
}

struct json_object *
answer_array (struct answer *answer, const char *key)
{
  struct json_object *array = json_object_new_array ();
  json_object_object_add (answer->all, key, array);
  return array;
}

/* Print VALUE.  Indent all lines of VALUE except the first by DEPTH
   blanks.  */
static void
print_value (struct json_object *value, int depth)
{
  const char *text = json_text (value);
  /* json-c writes a newline in a string as "\n", so each newline in TEXT ends
     a line.  */
  for (size_t length; *text != '\0'; text += length)
    {
      length = strcspn (text, "\n");
      printf ("%.*s", (int) length, text);
      if (text[length] == '\n')
        {
          printf ("\n%*s", depth, "");
          ++length;
        }
    }
}

void
answer_stream (struct answer *answer, const char *key)
{
  if (!answer->json)
    return;
  printf ("{");
  json_object_object_foreach (answer->all, name, value)
  {
    printf ("\n  \"%s\": ", name);
    print_value (value, 2);
    printf (",");
  }
  printf ("\n  \"%s\": [", key);
  json_object_put (answer->all);
  answer->all = json_object_new_object ();
  answer->streamed = true;
}

void
answer_item (struct answer *answer, struct json_object *item)
{
  printf ("%s\n    ", answer->items++ > 0 ? "," : "");
  print_value (item, 4);
  json_object_put (item);
}

/* Print the rest of ANSWER, after the array that was printed item by item.  */
static void
end_stream (struct answer *answer)
{
  printf ("\n  ]");
  json_object_object_foreach (answer->all, name, value)
  {
    printf (",\n  \"%s\": ", name);
    print_value (value, 2);
  }
  printf ("\n}\n");
  json_object_put (answer->all);
}

void
answer_note (struct answer *answer, const struct process *process,
             const char *name, const char *problem)
{
  struct json_object *json = json_object_new_object ();
  if (process != NULL)
    json_set_number (json, "pid", process->pid);
  json_set_string (json, "name", name);
  json_set_string (json, "problem", problem);
  json_object_array_add (answer->problems, json);
}

void
answer_problem (struct answer *answer, const struct process *process,
                const char *name, const char *problem)
{
  answer_note (answer, process, name, problem);
  /* First flush the output that was printed earlier.  */
  output_flush ();
  if (process != NULL && process->name[0] != '\0')
    fprintf (stderr, "hugetext %s: %d (%s): %s\n", answer->verb,
             (int) process->pid, process->name, problem);
  else
    fprintf (stderr, "hugetext %s: %s: %s\n", answer->verb, name, problem);
}

void
answer_end (struct answer *answer)
{
  json_object_object_add (answer->all, "problems", answer->problems);
  if (answer->streamed)
    end_stream (answer);
  else if (answer->json)
    json_print (stdout, answer->all);
  else
    json_object_put (answer->all);
}
