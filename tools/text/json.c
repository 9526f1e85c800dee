/* JSON about the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/json.h"
#include "object/settings.h"
#include "host/procmaps.h"
#include "text/report.h"
#include "util/output.h"
#include "util/filelist.h"
#include "util/printable.h"

#include <stdlib.h>
#include <string.h>

struct json *
json_string (const char *value)
{
  char *clean = value != NULL ? strdup (value) : NULL;
  if (clean == NULL)
    return NULL;
  printable_string (clean);
  struct json *string = json_new_string (clean);
  free (clean);
  return string;
}

void
json_set_string (struct json *object, const char *key, const char *value)
{
  json_set (object, key, json_string (value));
}

void
json_set_number (struct json *object, const char *key, int64_t value)
{
  json_set (object, key, json_new_number (value));
}

void
json_set_fraction (struct json *object, const char *key, double value)
{
  char digits[32];
  snprintf (digits, sizeof digits, "%.3f", value);
  json_set (object, key, json_new_digits (digits));
}

void
json_set_true_false (struct json *object, const char *key, bool value)
{
  json_set (object, key, json_new_true_false (value));
}

void
json_set_address (struct json *object, const char *key, uintptr_t value)
{
  char text[32];
  snprintf (text, sizeof text, "0x%" PRIxPTR, value);
  json_set_string (object, key, text);
}

struct json *
json_names (const struct file_list *files)
{
  struct json *array = json_new_array ();
  for (size_t i = 0; i < files->count; ++i)
    json_append (array, json_string (files->names[i]));
  return array;
}

struct json *
json_backings (unsigned int backing)
{
  char names[40], *rest = NULL;
  struct json *array = json_new_array ();
  backing_names (backing, names);
  if (backing != 0)
    for (char *name = strtok_r (names, "+", &rest); name != NULL;
         name = strtok_r (NULL, "+", &rest))
      json_append (array, json_new_string (name));
  return array;
}

/* Add sizes to OBJECT.  */
static void
set_sizes (struct json *object, size_t text, size_t huge, size_t small)
{
  double share = report_share (huge, small);
  char digits[32];
  json_set_number (object, "text_bytes", text);
  json_set_number (object, "huge_bytes", huge);
  json_set_number (object, "small_bytes", small);
  snprintf (digits, sizeof digits, "%.2f", share);
  json_set (object, "share_percent",
            share < 0 ? NULL : json_new_digits (digits));
}

void
json_set_sums (struct json *object, const struct text_sums *sums)
{
  set_sizes (object, sums->text, sums->huge, sums->small);
}

/* Return the blocks of OBJECT as runs of neighbours, with a letter for each
   block.  */
static struct json *
block_runs (const struct object_text *object)
{
  struct json *array = json_new_array ();
  char *letters = malloc (object->nblocks + 1);
  for (size_t i = 0, n; letters != NULL && i < object->nblocks; i += n)
    {
      const struct text_block *first = &object->blocks[i];
      for (n = 0; i + n < object->nblocks
                  && first[n].start == first->start + n * procmaps_block ();
           n++)
        letters[n] = report_letter (&first[n]);
      letters[n] = '\0';
      struct json *run = json_new_object ();
      json_set_address (run, "address", first->start);
      json_set_string (run, "blocks", letters);
      json_append (array, run);
    }
  free (letters);
  return array;
}

static struct json *
one_object (const struct object_text *object)
{
  struct json *json = json_new_object ();
  json_set_string (json, "name", object->name);
  json_set_address (json, "bias", object->no_headers ? 0 : object->bias);
  set_sizes (json, object->text, object->huge, object->small);
  json_set (json, "backing", json_backings (object->backing));
  json_set (json, "maps", block_runs (object));
  return json;
}

struct json *
json_process (const struct process *process, const char *exe,
              const char *loader, const struct object_list *objects)
{
  struct json *json = json_new_object ();
  struct json *array = json_new_array ();
  struct json *made = json_new_object ();
  struct text_sums sums = report_sums (objects);

  json_set_number (json, "pid", process->pid);
  json_set_string (json, "name", process->name);
  json_set_string (json, "exe", exe);
  json_set_string (json, "loader", loader);
  json_set_sums (json, &sums);
  json_set (json, "backing", json_backings (sums.backing));
  for (size_t i = 0; i < objects->count; ++i)
    json_append (array, one_object (&objects->list[i]));
  json_set (json, "objects", array);
  set_sizes (made, objects->made.text, objects->made.huge,
             objects->made.small);
  json_set (made, "backing", json_backings (objects->made.backing));
  json_set (made, "maps", block_runs (&objects->made));
  json_set (json, "made_at_run_time", made);
  return json;
}

struct json *
json_cost (const struct cost *cost)
{
  struct json *json = json_new_object ();
  json_set_number (json, "copies_bytes", cost->copies);
  json_set_number (json, "images_bytes", cost->images);
  return json;
}

struct json *
json_settings (const struct settings *settings)
{
  struct json *json = json_new_object ();
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *words = settings_words (settings, key);
      if (words == NULL)
        continue;
      struct json *setting = json_new_object ();
      json_set_string (setting, "value", words);
      json_set_string (setting, "source", settings_source (settings, key));
      json_set (json, settings_key (key), setting);
    }
  return json;
}

struct json *
json_begin (void)
{
  struct json *json = json_new_object ();
  json_set_number (json, "version", 1);
  return json;
}

void
json_print (FILE *stream, struct json *object, bool line)
{
  json_write (stream, object, line);
  putc ('\n', stream);
  json_free (object);
}

void
answer_begin (struct answer *answer, const char *verb, bool json)
{
  *answer = (struct answer){ .verb = verb,
                             .json = json,
                             .all = json_begin (),
                             .problems = json_new_array () };
}

struct json *
answer_array (struct answer *answer, const char *key)
{
  struct json *array = json_new_array ();
  json_set (answer->all, key, array);
  return array;
}

void
answer_note (struct answer *answer, const struct process *process,
             const char *name, const char *problem)
{
  struct json *json = json_new_object ();
  if (process != NULL)
    json_set_number (json, "pid", process->pid);
  json_set_string (json, "name", name);
  json_set_string (json, "problem", problem);
  json_append (answer->problems, json);
}

void
answer_problem (struct answer *answer, const struct process *process,
                const char *name, const char *problem)
{
  answer_note (answer, process, name, problem);
  /* Write earlier output first.  */
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
  json_set (answer->all, "problems", answer->problems);
  if (answer->json)
    json_print (stdout, answer->all, false);
  else
    json_free (answer->all);
}
