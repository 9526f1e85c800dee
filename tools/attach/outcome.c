/* Reports of what attach has done, for one process or for several.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/outcome.h"
#include "text/report.h"
#include "util/count.h"
#include "util/terminal.h"

#include <stdio.h>

/* Return the reason why the objects of a process are at addresses that were
   not chosen for huge text.  Return HUGETEXT_NONE if the addresses were chosen
   for huge text, or if the next start of the program would not improve them.
   OFF is the reason why huge text was off in the process from its start.  */
static enum hugetext_reason
why_unplaced (enum hugetext_reason off)
{
  switch (off)
    {
    case REASON_OTHER_LOADER:
      return REASON_LEFT_STOCK;
    case REASON_NOT_SWITCHED_ON:
      return REASON_LEFT_OFF;
    case REASON_NOT_INDEXED:
    case REASON_SWITCHED_ON_SINCE:
    case REASON_SWITCHED_OFF:
    case REASON_NOT_NAMED:
      return off;
    default:
      return HUGETEXT_NONE;
    }
}

/* Record in OUTCOME that some blocks did not change because of REASON.  Find
   the remedy to print: return the reason to which the remedy belongs, or
   HUGETEXT_NONE if there is no remedy.  "hugetext attach" leaves each object
   at its present address.  If REASON is due to an address that was not chosen
   for huge text, the remedy is to start the program again with huge text,
   unless ld-hugetext.so always leaves the text of the program on small pages.
   Add to ABOUT the facts that the remedy needs.  */
static enum hugetext_reason
remedied (const struct outcome *outcome, enum hugetext_reason reason,
          struct reason_about *about)
{
  if (!outcome->sums.left[reason].movable || !reason_is_of_address (reason))
    return reason;
  const enum hugetext_reason off = inspect_why_off (&outcome->found, about);
  if (inspect_is_too_small (&outcome->found, off))
    return HUGETEXT_NONE;
  const enum hugetext_reason unplaced = why_unplaced (off);
  return unplaced != HUGETEXT_NONE ? unplaced : reason;
}

/* Return the facts that the texts of REASON and of its remedy need: facts
   about OUTCOME, and about its blocks that did not change because of
   REASON.  */
static struct reason_about
about_left (const struct outcome *outcome, enum hugetext_reason reason)
{
  struct reason_about about
      = inspect_about (&outcome->found, &outcome->settings);
  /* Do not report the cap that an earlier command has recorded in the process,
     because the present command has a cap of its own.  */
  about.cap = 0;
  about.beyond = outcome->sums.left[reason].blocks;
  /* Only the loader can use pages of the hugetlb pool, at the next start of
     the program.  */
  if (reason == REASON_RECLAIMED)
    about.change = REASON_AT_START;
  else
    {
      about.change = REASON_BY_OPTION;
      about.candidates = 0;
    }
  about.text = outcome->sums.left[reason].text;
  about.several = outcome->sums.left[reason].blocks > 1;
  return about;
}

void
outcome_describe_remedy (const struct outcome *outcome,
                         enum hugetext_reason reason,
                         char words[static REASON_SIZE])
{
  struct reason_file files[OUTCOME_FILES];
  struct reason_about about = about_left (outcome, reason);
  about.files = files;
  for (size_t i = 0; i < outcome->nfiles; ++i)
    if (outcome->files[i].row == reason)
      files[about.nfiles++] = (struct reason_file){ outcome->files[i].path,
                                                    outcome->files[i].device,
                                                    outcome->files[i].inode };
  const enum hugetext_reason told = remedied (outcome, reason, &about);
  reason_remedy (told, &about, words);
}

/* Set WORDS to the text of REASON, the reason why blocks of OUTCOME did not
   change.  The text contains the figures that "hugetext explain" gives.  */
static void
describe_reason (const struct outcome *outcome, enum hugetext_reason reason,
                 char words[static REASON_SIZE])
{
  const struct reason_about about = about_left (outcome, reason);
  reason_describe (reason, &about, words);
  if (reason == REASON_ROOM_UNKNOWN && problem_is (&outcome->room))
    {
      const size_t n = strlen (words);
      snprintf (words + n, REASON_SIZE - n, " (%s)", outcome->room.text);
    }
}

struct json_object *
outcome_json (const struct outcome *outcome, const struct object_list *objects)
{
  const struct outcome_sums *sums = &outcome->sums;
  struct json_object *json
      = json_process (&outcome->found.process, outcome->found.exe,
                      inspect_loader (&outcome->found), objects);
  struct json_object *left = json_object_new_array ();
  json_set_number (json, "blocks_before", sums->before);
  json_set_number (json, "blocks_changed", sums->done);
  json_set_number (json, "blocks_wanted", sums->wanted);
  json_set_number (json, "stops", outcome->stops.count);
  json_set_fraction (json, "longest_stop_ms", outcome->stops.longest);
  json_set_fraction (json, "stopped_ms", outcome->stops.whole);
  for (enum hugetext_reason i = 0; i < HUGETEXT_REASONS; ++i)
    if (sums->left[i].blocks > 0)
      {
        struct json_object *reason = json_object_new_object ();
        char words[REASON_SIZE], remedy[REASON_SIZE];
        describe_reason (outcome, i, words);
        outcome_describe_remedy (outcome, i, remedy);
        json_set_number (reason, "blocks", sums->left[i].blocks);
        json_set_true_false (reason, "wanted", sums->left[i].wanted > 0);
        json_set_string (reason, "verdict", reason_code (i));
        json_set_string (reason, "reason", words);
        json_set_string (reason, "remedy", remedy[0] != '\0' ? remedy : NULL);
        json_object_array_add (left, reason);
      }
  json_object_object_add (json, "left", left);
  return json;
}

/* Print for each backing how many blocks were put on huge pages.  */
static void
print_backings (const struct outcome_sums *sums)
{
  char name[40];
  const char *separator = " (";
  for (size_t i = 0; i < BACKINGS; ++i)
    if (sums->by[i] > 0)
      {
        printf ("%s%s %zu", separator, backing_names (1U << i, name),
                sums->by[i]);
        separator = ", ";
      }
  if (separator[0] == ',')
    putchar (')');
  if (sums->before > 0)
    printf (", " COUNT_FORMAT " %s huge before", COUNT (sums->before, "block"),
            count_word (sums->before, "was", "were"));
}

/* Set LINE to a message about BLOCKS blocks that did not change because of the
   reason WORDS.  */
static void
describe_left (size_t blocks, const char *words, char line[static REASON_SIZE])
{
  snprintf (line, REASON_SIZE, COUNT_FORMAT " not changed: %.400s",
            COUNT (blocks, "block"), words);
}

void
outcome_describe_left (const struct outcome *outcome,
                       enum hugetext_reason reason,
                       char line[static REASON_SIZE])
{
  char words[REASON_SIZE];
  describe_reason (outcome, reason, words);
  describe_left (outcome->sums.left[reason].blocks, words, line);
}

/* Print how many blocks REQUEST has changed, or would change, according to
   SUMS and STOPS.  */
static void
print_changes (const struct outcome_sums *sums,
               const struct convert_stops *stops,
               const struct attach_request *request)
{
  const char *where = request->undo ? "back on small pages" : "on huge pages";
  if (request->dry_run)
    printf (COUNT_FORMAT " would be put %s\n", COUNT (sums->wanted, "block"),
            where);
  else
    {
      printf (COUNT_FORMAT " put %s", COUNT (sums->done, "block"), where);
      if (!request->undo)
        print_backings (sums);
      printf ("; " COUNT_FORMAT ", the longest %.2f ms\n",
              COUNT (stops->count, "stop"), stops->longest);
    }
}

/* Print that BLOCKS blocks did not change because of the reason WORDS; then
   print REMEDY.  */
static void
print_left (size_t blocks, const char *words, const char *remedy)
{
  char line[REASON_SIZE];
  describe_left (blocks, words, line);
  report_reason (stdout, 4, line, remedy);
}

/* Return true if the user should be told that transparent huge pages are off
   in the process of OUTCOME, the result of REQUEST.  */
static bool
lacks_thp (const struct outcome *outcome, const struct attach_request *request)
{
  return !request->undo && outcome->found.thp_disabled;
}

void
outcome_print (const struct outcome *outcome,
               const struct attach_request *request,
               const struct object_list *objects)
{
  inspect_heading (stdout, &outcome->found);
  if (lacks_thp (outcome, request))
    terminal_say (stdout, 4, "the process %s", inspect_thp_disabled ());
  print_changes (&outcome->sums, &outcome->stops, request);
  for (enum hugetext_reason i = 0; i < HUGETEXT_REASONS; ++i)
    if (outcome->sums.left[i].blocks > 0)
      {
        char words[REASON_SIZE], remedy[REASON_SIZE];
        describe_reason (outcome, i, words);
        outcome_describe_remedy (outcome, i, remedy);
        print_left (outcome->sums.left[i].blocks, words, remedy);
      }
  report_objects (stdout, objects);
}

/* Add to ALL the blocks of OUTCOME that did not change because of REASON.  */
static void
add_left (const struct outcome *outcome, enum hugetext_reason reason,
          struct outcome_all *all)
{
  const size_t blocks = outcome->sums.left[reason].blocks;
  all->sums.left[reason].blocks += blocks;
  if (blocks <= all->most[reason])
    return;
  all->most[reason] = blocks;
  describe_reason (outcome, reason, all->words[reason]);
  outcome_describe_remedy (outcome, reason, all->remedies[reason]);
}

void
outcome_add (const struct outcome *outcome,
             const struct attach_request *request,
             const struct inspection *now, struct outcome_all *all)
{
  char *facts = NULL;
  size_t size;
  FILE *stream = open_memstream (&facts, &size);
  if (stream == NULL)
    return;
  if (lacks_thp (outcome, request))
    terminal_say (stream, 4, "each of these processes %s",
                  inspect_thp_disabled ());
  fclose (stream);
  several_add (&all->processes, now, facts);
  all->sums.done += outcome->sums.done;
  all->sums.before += outcome->sums.before;
  all->sums.wanted += outcome->sums.wanted;
  for (size_t i = 0; i < BACKINGS; ++i)
    all->sums.by[i] += outcome->sums.by[i];
  all->stops.count += outcome->stops.count;
  if (outcome->stops.longest > all->stops.longest)
    all->stops.longest = outcome->stops.longest;
  for (enum hugetext_reason i = 0; i < HUGETEXT_REASONS; ++i)
    add_left (outcome, i, all);
}

void
outcome_print_all (struct outcome_all *all,
                   const struct attach_request *request)
{
  several_print_groups (&all->processes);
  print_changes (&all->sums, &all->stops, request);
  for (enum hugetext_reason i = 0; i < HUGETEXT_REASONS; ++i)
    if (all->sums.left[i].blocks > 0)
      print_left (all->sums.left[i].blocks, all->words[i], all->remedies[i]);
  several_print_tables (&all->processes);
}
