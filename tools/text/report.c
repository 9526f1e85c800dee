/* Tables of the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/report.h"
#include "index/file.h"
#include "text/columns.h"
#include "object/loader.h"
#include "object/plan.h"
#include "object/reason.h"
#include "util/count.h"
#include "util/terminal.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void
report_add (struct text_sums *sums, const struct text_sums *more)
{
#define TEXT_SUM(type, member, add, ...) sums->member add more->member;
#include "text/columns.def"
}

struct text_sums
report_sums (const struct object_list *objects)
{
  struct text_sums sums = { 0 };
  for (size_t i = 0; i < objects->count; ++i)
    report_add (&sums, &objects->list[i].sums);
  return sums;
}

struct text_sums
report_able_sums (const struct object_list *objects)
{
  struct text_sums sums = { 0 };
  for (size_t i = 0; i < objects->count; ++i)
    if (!loader_named (objects->list[i].name)
        && !objtext_has_code_name (&objects->list[i]))
      report_add (&sums, &objects->list[i].sums);
  return sums;
}

bool
report_is_low (const struct text_sums *sums)
{
  const double much = 97.0; /* per cent */
  return (sums->huge + sums->small > 0
          && column_share (sums->huge, sums->small) < much);
}

const char *
report_why_small (void)
{
  return "why text is on small pages";
}

char
report_letter (const struct text_block *block)
{
  if (block->guessed)
    return '?';
  if (block->huge == 0)
    return block->small > 0 ? '.' : '_';
  switch (block->backing)
    {
#define HUGETEXT_CHOSEN_BACKING(id, word, letter, ...) \
  case BACKING_##id:                                   \
    return letter;
#define HUGETEXT_OTHER_BACKING(id, word, letter) \
  HUGETEXT_CHOSEN_BACKING (id, word, letter, 0)
#include "dl-hugetext-backings.def"
    default:
      return 'T';
    }
}

/* Return true if tables contain COLUMN.  The column of samples exists only if
   the index contains heat.  */
static bool
has_column (enum column column)
{
  struct problem problem;
  static int profiles = -1;
  struct index_file file;
  if (column != COLUMN_SAMPLES)
    return true;
  if (profiles < 0)
    {
      profiles = (index_file_open_path (&file, INDEX_PATH, 0, &problem)
                  && file.index.header.heats > 0);
      index_file_close (&file);
    }
  return profiles;
}

/* The minimum width of a name on a terminal.  Omit a column if its width would
   leave less than this minimum for the name.  */
#define NAME_WIDTH 12

/* Print a line of a table.  The line begins with FIRST, unless FIRST is NULL.
   After FIRST, print the columns for which the line has space.  The columns
   contain the values for SUMS, or the headings if SUMS is NULL.  The line ends
   with NAME.  If NAME is too long, omit the beginning of NAME, because the end
   of a name is more useful.  */
static void
text_report_print_line (FILE *stream, const char *first,
                        const struct text_sums *sums, const char *name)
{
  char text[PATH_MAX], buffer[40];
  int columns = terminal_columns (), used = 0;
  if (first != NULL)
    used += fprintf (stream, "%7s ", first);
  for (enum column i = 0; i < COLUMNS; ++i)
    {
      const struct column_row *row = &column_rows[i];
      const char *word
          = sums != NULL ? column_text (i, sums, buffer) : row->heading;
      if (!has_column (i)
          || (columns > 0 && used + row->width + 1 + NAME_WIDTH > columns))
        continue;
      if (row->width > 0)
        used += fprintf (stream, "%*s ", row->width, word);
      else if (first == NULL && (columns == 0 || columns >= 72))
        used += fprintf (stream, " %-9s", word);
    }
  used += fprintf (stream, " ");
  fprintf (stream, "%s\n",
           terminal_tail (name,
                          columns == 0     ? 0
                          : columns > used ? columns - used
                                           : 1,
                          text, sizeof text));
}

void
report_heading (FILE *stream, const char *first, const char *name)
{
  text_report_print_line (stream, first, NULL, name);
}

void
report_row (FILE *stream, const char *first, const char *name,
            const struct text_sums *sums)
{
  text_report_print_line (stream, first, sums, name);
}

void
report_say_unused (FILE *stream, const struct text_sums *sums)
{
  const double mib = 1048576.0;
  const size_t used = sums->huge + sums->small;
  char share[16];
  if (sums->huge > 0 && sums->text / 2 > used)
    terminal_say (stream, 4,
                  "the column \"share\" counts only the text in use (%.1f "
                  "MiB); of all text (%.1f MiB), %s is on huge pages",
                  used / mib, sums->text / mib,
                  column_share_text (100.0 * sums->huge / sums->text, share));
}

void
report_objects (FILE *stream, const struct object_list *objects)
{
  const struct text_sums sums = report_sums (objects);
  report_heading (stream, NULL, "object");
  for (size_t i = 0; i < objects->count; ++i)
    report_row (stream, NULL, objects->list[i].name, &objects->list[i].sums);
  report_row (stream, NULL, "total", &sums);
  if (objects->made.sums.text > 0)
    report_row (stream, NULL, objects->made.name, &objects->made.sums);
  report_say_unused (stream, &sums);
}

const char *
observer_key (enum observer observer)
{
  static const char *const keys[] = {
#define OBSERVER(id, key, reason, usual) key,
#include "text/observers.def"
  };
  return keys[observer];
}

enum hugetext_reason
observer_reason (enum observer observer)
{
  static const enum hugetext_reason reasons[] = {
#define OBSERVER(id, key, reason, usual) reason,
#include "text/observers.def"
  };
  return reasons[observer];
}

/* Count OBJECT in the elements of UNSEEN for the kinds of tools that do not
   find OBJECT.  */
static void
count_unseen (const struct object_text *object, struct unseen *unseen)
{
  const char *slash = strrchr (object->name, '/');
  if (unseen->count++ == 0)
    snprintf (unseen->first, sizeof unseen->first, "%s",
              slash != NULL ? slash + 1 : object->name);
}

void
report_files (const struct object_list *objects, report_wants *wants,
              const void *closure,
              struct reason_file files[static REPORT_FILES],
              struct reason_about *about)
{
  about->files = files;
  about->nfiles = 0;
  for (size_t i = 0; i < objects->count && about->nfiles < REPORT_FILES; ++i)
    {
      const struct object_text *object = &objects->list[i];
      if (wants == NULL || wants (object, closure))
        files[about->nfiles++]
            = (struct reason_file){ object->name, object->device,
                                    object->inode };
    }
}

/* Return true if tools of the kind *CLOSURE (an enum observer) do not find
   OBJECT.  */
static bool
is_unseen (const struct object_text *object, const void *closure)
{
  const enum observer *observer = closure;
  return object->unseen[*observer];
}

void
report_count_unseen (const struct object_list *objects,
                     const struct reason_about *about,
                     struct unseen unseen[static OBSERVERS])
{
  memset (unseen, 0, OBSERVERS * sizeof *unseen);
  for (size_t i = 0; i < objects->count; ++i)
    for (enum observer k = 0; k < OBSERVERS; ++k)
      if (objects->list[i].unseen[k])
        count_unseen (&objects->list[i], &unseen[k]);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    if (unseen[k].count > 0)
      {
        struct reason_file files[REPORT_FILES];
        struct reason_about this = *about;
        report_files (objects, is_unseen, &k, files, &this);
        reason_remedy (observer_reason (k), &this, unseen[k].remedy);
      }
}

void
report_add_unseen (const struct object_list *objects,
                   const struct reason_about *about,
                   struct unseen unseen[static OBSERVERS])
{
  struct unseen more[OBSERVERS];
  report_count_unseen (objects, about, more);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    if (more[k].count > unseen[k].count)
      unseen[k] = more[k];
}

bool
report_is_usual (enum observer observer)
{
  static const bool usual[] = {
#define OBSERVER(id, key, reason, usual) usual,
#include "text/observers.def"
  };
  return usual[observer];
}

void
report_unseen (FILE *stream, unsigned int hang, const char *indent,
               const struct unseen unseen[static OBSERVERS])
{
  for (enum observer k = 0; k < OBSERVERS; ++k)
    {
      const size_t others = unseen[k].count - 1;
      char more[64] = "";
      if (unseen[k].count == 0 || !report_is_usual (k))
        continue;
      if (others > 0)
        snprintf (more, sizeof more, " (and " COUNT_FORMAT ")",
                  COUNT (others, "other"));
      terminal_say (stream, hang, "%s%s%s: %s. Remedy: %s", indent,
                    unseen[k].first, more, reason_words (observer_reason (k)),
                    unseen[k].remedy);
    }
}

void
report_images (FILE *stream, const char *of, const struct cost *cost)
{
  if (cost->images > 0)
    terminal_say (stream, 4,
                  "images%s: %.1f MiB of memory (Pss) are in images that "
                  "processes share",
                  of, cost->images / 1048576.0);
}

/* Return true if OBJECT has copies.  */
static bool
has_copies (const struct object_text *object, const void *none)
{
  (void) none;
  return objtext_has_copies (object);
}

void
report_cost (FILE *stream, const struct cost *cost,
             const struct object_list *objects,
             const struct reason_about *about)
{
  struct reason_file files[REPORT_FILES];
  struct reason_about this = *about;
  char words[REASON_SIZE] = "";
  report_files (objects, has_copies, NULL, files, &this);
  /* The store has no images for containers.  */
  if (cost->copies > 0 && about->where != WHERE_CONTAINER)
    reason_advise ("[hugetext store add FILE]", &this, words);
  if (cost->copies > 0)
    terminal_say (
        stream, 4, "copies: %.1f MiB of memory are in copies%s%s",
        cost->copies / 1048576.0,
        words[0] != '\0' ? "; to let processes share images instead: " : "",
        words);
  report_images (stream, "", cost);
}

void
report_reason (FILE *stream, unsigned int hang, const char *text,
               const char *remedy)
{
  const bool change = remedy[0] != '\0';
  /* Do not wrap the remedy, because it may contain a shell command.  */
  const bool split = change && terminal_columns () > 0;
  terminal_say (stream, hang, "%s%s%s", text,
                change && !split ? ". Remedy: " : "", split ? "" : remedy);
  if (split)
    fprintf (stream, "%*sRemedy: %s\n", (int) hang, "", remedy);
}
