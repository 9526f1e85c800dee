/* The output of "hugetext explain".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "host/procmaps.h"
#include "object/reason.h"
#include "text/inspect.h"
#include "text/json.h"
#include "text/objtext.h"
#include "text/report.h"
#include "util/allocate.h"
#include "util/terminal.h"
#include "util/count.h"

#include <stdlib.h>
#include <string.h>

void
explain_free (struct explanation *explanation)
{
  for (size_t i = 0; i < explanation->count; ++i)
    {
      free (explanation->list[i].name);
      free (explanation->list[i].path);
      free (explanation->list[i].blocks);
    }
  free (explanation->list);
  free ((char *) explanation->about.service);
  *explanation = (struct explanation){ 0 };
}

/* Return ADDRESS, which may be negative, as a number in BUFFER.  */
static const char *
address_text (intptr_t address, char buffer[static 24])
{
  if (address < 0)
    snprintf (buffer, 24, "-0x%zx", (size_t) -address);
  else
    snprintf (buffer, 24, "0x%zx", (size_t) address);
  return buffer;
}

#define WHAT_TEXT 400

/* Return the kind and the address of OBJECT as text in BUFFER.  Return NULL if
   the loader skips OBJECT.  */
static const char *
what_text (const struct explained_object *object,
           char buffer[static WHAT_TEXT])
{
  snprintf (buffer, WHAT_TEXT, "%s%s%s", object->kind,
            object->place[0] != '\0' ? ", " : "", object->place);
  const bool alone = problem_is (&object->problem) && object->place[0] == '\0';
  return alone || buffer[0] == '\0' ? NULL : buffer;
}

/* Return true if block B directly follows block A and has the same
   explanation.  */
static bool
continues (const struct explained_block *a, const struct explained_block *b)
{
  return (b->address == a->address + (intptr_t) procmaps_block ()
          && a->why == b->why && a->backing == b->backing
          && (a->text == b->text || !reason_counts_text (a->why)));
}

/* Return ADDRESS as text in BUFFER.  In the explanation of a file, an address
   below the object's first byte, where the loader reserves free addresses, is
   negative.  */
static const char *
bound_text (intptr_t address, char buffer[static 24])
{
  return address < 0 ? "below 0" : address_text (address, buffer);
}

/* The indentation of a continued line, in columns.  */
#define HANG 6

/* Print one line for N successive blocks with the same explanation.  BLOCK is
   the first of the N blocks.  */
static void
print_blocks (const struct explained_block *block, size_t n, bool in_core)
{
  const char *state = (block->backing != 0      ? "huge"
                       : in_core && block->made ? "made"
                                                : "small");
  char start[24], end[24], size[24] = "-", line[REASON_SIZE + 128];
  size_t text = 0;
  for (size_t i = 0; i < n; ++i)
    text += block[i].text;
  if (text > 0)
    snprintf (size, sizeof size, "%zu", text / 1024);
  snprintf (line, sizeof line, "  %14s-%-14s %8s KiB  %-5s  %s",
            bound_text (block->address, start),
            bound_text (block->address + n * procmaps_block (), end), size,
            state, block->reason);
  report_reason (stdout, HANG, line, block->remedy);
}

size_t
explain_print_sums (FILE *stream, const struct explanation *explanation)
{
  size_t lines = 0;
  for (size_t i = 0; i < explanation->count; ++i)
    {
      const struct explained_sum sum
          = explain_sum (explanation, &explanation->list[i]);
      if (sum.text == 0)
        continue;
      fprintf (stream, "  %zu of %zu KiB in " COUNT_FORMAT ": %s\n",
               sum.huge / 1024, sum.text / 1024,
               COUNT (sum.pages, "huge page"), explanation->list[i].name);
      ++lines;
    }
  return lines;
}

void
explain_print_why (FILE *stream, const struct explained_why *why)
{
  char line[REASON_SIZE + 384];
  snprintf (line, sizeof line, "%s%s%s: %s", report_why_small (),
            why->object[0] != '\0' ? ", most of it in " : "", why->object,
            why->reason);
  report_reason (stream, 4, line, why->remedy);
}

/* Return true if a single line should list all objects of EXPLANATION that
   tools of the kind OBSERVER (debuggers, profilers...)  cannot find.  Print a
   single line if several objects are concerned and only few programs need
   tools of the kind OBSERVER.  */
static bool
is_said_once (const struct explanation *explanation, enum observer observer)
{
  size_t count = 0;
  for (size_t i = 0; i < explanation->count; ++i)
    count += explanation->list[i].unseen[observer].reason[0] != '\0';
  return count > 1 && !report_is_usual (observer);
}

static void
explain_print_print_object (const struct explanation *explanation,
                            const struct explained_object *object)
{
  char buffer[WHAT_TEXT];
  const bool in_core = explanation->source == EXPLAINED_CORE;
  const char *what = what_text (object, buffer);
  terminal_say (stdout, HANG, "%s: %s", object->name,
                what != NULL ? what : object->problem.text);
  if (what != NULL && problem_is (&object->problem))
    terminal_say (stdout, HANG, "  left alone: %s", object->problem.text);
  if (object->needed)
    terminal_say (stdout, HANG, "  the program needs this library");
  if (object->late)
    terminal_say (stdout, HANG,
                  "  the program opens this library while it runs");
  for (enum observer k = 0; k < OBSERVERS; ++k)
    if (object->unseen[k].reason[0] != '\0' && !is_said_once (explanation, k))
      terminal_say (stdout, HANG, "  %s. Remedy: %s", object->unseen[k].reason,
                    object->unseen[k].remedy);
  for (size_t i = 0, n; i < object->nblocks; i += n)
    {
      const struct explained_block *block = &object->blocks[i];
      for (n = 1;
           i + n < object->nblocks && continues (&block[n - 1], &block[n]);
           n++)
        ;
      /* If huge text was off in the process, print no line for blocks on small
         pages, because the line about the whole process already says why.  */
      if (!explanation->off || block->backing != 0)
        print_blocks (block, n, in_core);
    }
  const struct explained_sum sum = explain_sum (explanation, object);
  if (object->nblocks > 1 && !in_core)
    printf ("  %zu of %zu KiB of text in " COUNT_FORMAT "\n", sum.huge / 1024,
            sum.text / 1024, COUNT (sum.pages, "huge page"));
}

/* Print the objects of EXPLANATION.  If huge text was off in the process,
   print only objects with huge blocks, and one line for all other objects,
   because the loader has recorded no reason for single blocks.  */
static void
print_objects (const struct explanation *explanation)
{
  size_t count = 0, text = 0;
  for (size_t i = 0; i < explanation->count; ++i)
    {
      const struct explained_object *object = &explanation->list[i];
      const struct explained_sum sum = explain_sum (explanation, object);
      if (explanation->off && sum.pages == 0)
        {
          count += sum.text > 0;
          text += sum.text;
        }
      else if (!object->unreadable)
        explain_print_print_object (explanation, object);
    }
  if (count > 0)
    printf ("no huge page in " COUNT_FORMAT " with %zu KiB of text\n",
            COUNT (count, "object"), text / 1024);
}

/* Add the file of OBJECT to FILES, which has COUNT files.  */
static void
explain_print_add_file (const struct explained_object *object,
                        struct reason_file *files, size_t *count)
{
  files[(*count)++]
      = (struct reason_file){ object->path, object->device, object->inode };
}

/* FILES are the COUNT files of EXPLANATION to which REASON applies.  If COUNT
   is not 0, print REASON, MORE, and the remedy for FILES.  */
static void
print_reason (const struct explanation *explanation,
              enum hugetext_reason reason, const struct reason_file *files,
              size_t count, const char *more)
{
  struct reason_about about = explanation->about;
  char remedy[REASON_SIZE];
  if (count == 0)
    return;
  about.settings = &explanation->settings;
  about.files = files;
  about.nfiles = count;
  reason_remedy (reason, &about, remedy);
  terminal_say (stdout, HANG, "%s%s. Remedy: %s", reason_words (reason), more,
                remedy);
}

/* Print the cost of the copies in EXPLANATION.  */
static void
print_copies (const struct explanation *explanation)
{
  struct reason_file *files = allocate (explanation->count * sizeof *files);
  size_t count = 0;
  for (size_t i = 0; i < explanation->count; ++i)
    if (explain_sum (explanation, &explanation->list[i]).copies > 0)
      explain_print_add_file (&explanation->list[i], files, &count);
  print_reason (explanation, REASON_COPY_NAMELESS, files, count, "");
  free (files);
}

/* If is_said_once returns true, print a single line that lists all objects of
   EXPLANATION that tools of the kind OBSERVER (debuggers, profilers...) cannot
   find.  */
static void
print_unseen (const struct explanation *explanation, enum observer observer)
{
  if (!is_said_once (explanation, observer))
    return;
  struct reason_file *files = allocate (explanation->count * sizeof *files);
  char *names, *more = NULL;
  size_t size, count = 0;
  FILE *stream = open_memstream (&names, &size);
  for (size_t i = 0; stream != NULL && i < explanation->count; ++i)
    {
      const struct explained_object *object = &explanation->list[i];
      if (object->unseen[observer].reason[0] == '\0')
        continue;
      const char *slash = strrchr (object->name, '/');
      fprintf (stream, "%s%s", count > 0 ? ", " : "",
               slash != NULL ? slash + 1 : object->name);
      explain_print_add_file (object, files, &count);
    }
  if (stream != NULL && fclose (stream) == 0
      && asprintf (&more, ": " COUNT_FORMAT " (%s)", COUNT (count, "object"),
                   names)
             > 0)
    print_reason (explanation, observer_reason (observer), files, count, more);
  if (stream != NULL)
    free (names);
  free (more);
  free (files);
}

void
explain_print (const struct explanation *explanation)
{
  settings_show (stdout, &explanation->settings);
  if (explanation->code_left[0] != '\0')
    terminal_say (stdout, HANG,
                  "code made at run time stays on small pages: %s",
                  explanation->code_left);
  if (explanation->thp_disabled)
    terminal_say (stdout, HANG, "the process %s", inspect_thp_disabled ());
  print_objects (explanation);
  if (explanation->source != EXPLAINED_CORE)
    print_copies (explanation);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    print_unseen (explanation, k);
}

static struct json_object *
block_json (const struct explained_block *block, bool in_core)
{
  char buffer[40];
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "address", address_text (block->address, buffer));
  if (!in_core)
    {
      json_set_number (json, "text_bytes", block->text);
      json_set_true_false (json, "huge", block->backing != 0);
      json_set_string (
          json, "backing",
          block->backing != 0 ? backing_names (block->backing, buffer) : NULL);
    }
  json_set_true_false (json, "made", block->made);
  json_set_string (json, "verdict", reason_code (block->why));
  json_set_string (json, "reason", block->reason);
  json_set_string (json, "remedy",
                   block->remedy[0] != '\0' ? block->remedy : NULL);
  return json;
}

void
explain_json (const struct explanation *explanation, struct json_object *array)
{
  for (size_t i = 0; i < explanation->count; ++i)
    {
      const struct explained_object *object = &explanation->list[i];
      char buffer[WHAT_TEXT];
      if (object->unreadable)
        continue;
      struct json_object *json = json_object_new_object ();
      struct json_object *blocks = json_object_new_array ();
      json_set_string (json, "name", object->name);
      json_set_string (json, "what", what_text (object, buffer));
      json_set_string (json, "problem",
                       problem_is (&object->problem) ? object->problem.text
                                                     : NULL);
      json_set_address (json, "bias", object->bias);
      for (enum observer k = 0;
           explanation->source == EXPLAINED_PROCESS && k < OBSERVERS; ++k)
        json_set_true_false (json, observer_key (k),
                             object->unseen[k].reason[0] != '\0');
      if (explanation->source == EXPLAINED_FILE)
        {
          json_set_true_false (json, "opened_late", object->late);
          json_set_true_false (json, "needed", object->needed);
          if (i == 0)
            json_object_object_add (json, "settings",
                                    json_settings (&explanation->settings));
        }
      for (size_t k = 0; k < object->nblocks; ++k)
        json_object_array_add (
            blocks, block_json (&object->blocks[k],
                                explanation->source == EXPLAINED_CORE));
      json_object_object_add (json, "blocks", blocks);
      json_object_array_add (array, json);
    }
}
