/* The result of a survey, in words and as JSON.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey/survey.h"
#include "text/json.h"
#include "tlb/tlb.h"
#include "util/printable.h"
#include "util/shell.h"
#include "util/terminal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines of the table, unless the user asks for all.  */
#define TABLE_LENGTH 10

/* The share of the first program's worth below which a program is left
   out.  */
#define LEAST 0.02

/* Return how many of SURVEY's rows are printed.  */
static size_t
count_lines (const struct survey *survey, const struct survey_how *how)
{
  size_t count = 0;
  if (how->all)
    return survey->count;
  while (count < survey->count && count < TABLE_LENGTH
         && survey->rows[count]->worth > 0
         && survey->rows[count]->worth >= LEAST * survey->rows[0]->worth)
    ++count;
  return count;
}

static const char *
percent (char text[static 16], double part, double all, int digits)
{
  if (all > 0)
    snprintf (text, 16, "%.*f %%", digits, 100 * part / all);
  else
    strcpy (text, "-");
  return text;
}

static void
print_row (const struct survey *survey, const struct survey_row *row)
{
  enum
  {
    TAKEN = 52, /* Columns of the line without the service.  */
  };
  const int room = terminal_columns ();
  char name[256], service[256], time[16], misses[16], huge[16];
  const struct text_sums *sums = &row->sums;
  const double most = survey->rows[0]->worth;
  printf ("%-12s %5.0f %7s %7s %8.1f %6s  %s\n",
          terminal_text (row->name, 12, name, sizeof name),
          most > 0 ? 100 * row->worth / most : 0,
          percent (time, row->samples, survey->samples, 1),
          percent (misses, row->misses, row->in_text + row->in_made, 0),
          (sums->small + sums->huge) / 1048576.0,
          percent (huge, sums->huge, sums->huge + sums->small, 0),
          /* The end of a path tells most.  */
          (row->service[0] == '/' ? terminal_tail : terminal_text) (
              row->service, room > TAKEN ? room - TAKEN : 0, service,
              sizeof service));
}

/* Report which programs are not in the table of COUNT lines.  */
static void
print_left_out (const struct survey *survey, size_t count)
{
  char name[NAME_MAX + 1];
  if (count == 0)
    terminal_say (stdout, 0, "Nothing that runs has anything to gain.");
  else if (count < survey->count)
    terminal_say (stdout, 0,
                  "%zu programs with less to gain, or that end within a tenth"
                  " of a second, are left out (--all).",
                  survey->count - count);
  for (size_t i = 0; i < count; ++i)
    {
      const struct survey_row *row = survey->rows[i];
      if (row->in_made * 4 <= row->samples)
        continue;
      terminal_say (stdout, 0,
                    "%s is in code made at run time for %.0f %% of its time:"
                    " for that to be on huge pages it takes"
                    " glibc.mem.hugetext=3.",
                    terminal_text (row->name, 0, name, sizeof name),
                    100.0 * row->in_made / row->samples);
      break;
    }
}

/* Print "  hugetext VERB WORD", if WORD can be typed.  */
static void
print_command (const char *verb, const char *word)
{
  char *quoted = shell_quote (word);
  if (quoted != NULL && is_printable (word))
    printf ("  hugetext %s %s\n", verb, quoted);
  free (quoted);
}

/* Print commands for the first program of SURVEY that can gain and still
   runs.  */
static void
print_commands (const struct survey *survey)
{
  const struct survey_row *row = NULL;
  char name[NAME_MAX + 1];
  for (size_t i = 0; row == NULL && i < survey->count; ++i)
    if (survey->rows[i]->worth > 0 && survey->rows[i]->pid != 0)
      row = survey->rows[i];
  if (row == NULL)
    return;
  terminal_say (stdout, 0, "To try it on %s as it runs, to look, and %s:",
                terminal_text (row->name, 0, name, sizeof name),
                row->elsewhere ? "for good as the manual has it for containers"
                               : "to have it from its next start on");
  print_command ("attach", row->name);
  print_command ("status", row->name);
  const char *dot = strrchr (row->service, '.');
  if (row->elsewhere)
    return;
  if (dot != NULL && strcmp (dot, ".service") == 0)
    print_command ("enable --restart", row->service);
  else if (row->path != NULL && access (row->path, X_OK) == 0)
    print_command ("enable", row->path);
}

void
survey_print (const struct survey *survey, const struct survey_how *how)
{
  size_t count = count_lines (survey, how);
  terminal_say (stdout, 0,
                "%zu samples in %.1f s, by %s: ranked by what a simulated TLB"
                " makes of them.",
                survey->samples, how->seconds, how->event);
  if (how->own)
    terminal_say (stdout, 0, "Only processes of your own; root sees all.");
  else if (survey->unread > 0)
    terminal_say (stdout, 0, "%zu process%s could not be read.",
                  survey->unread, survey->unread == 1 ? "" : "es");
  if (survey->too_few)
    terminal_say (stdout, 0,
                  "Too few samples to rank programs by, less than %d: hugetext"
                  " survey %.0f, while the machine has work to do.%s",
                  SURVEY_LEAST, how->seconds < 10 ? 30 : 3 * how->seconds,
                  how->all ? "" : " --all lists them all the same.");
  if (survey->too_few && !how->all)
    return;
  if (count > 0)
    puts ("program      worth    time  misses MiB used   huge  service");
  for (size_t i = 0; i < count; ++i)
    print_row (survey, survey->rows[i]);
  print_left_out (survey, count);
  const struct tlb_finding tlb = tlb_look ();
  if (tlb.verdict != TLB_WHOLE)
    terminal_say (stdout, 0, "TLB: %s%s%s", tlb.words,
                  tlb.remedy != NULL ? "; remedy: " : "",
                  tlb.remedy != NULL ? tlb.remedy : "");
  if (!survey->too_few)
    print_commands (survey);
}

static struct json_object *
row_json (const struct survey *survey, const struct survey_row *row)
{
  struct json_object *json = json_object_new_object ();
  const double most = survey->rows[0]->worth;
  const double executed = row->in_text + row->in_made;
  json_set_string (json, "program", row->name);
  json_set_string (json, "path", row->path);
  json_set_string (json, "service", row->service);
  json_set_number (json, "processes", row->processes);
  json_set_number (json, "unreadable", row->unread);
  json_set_true_false (json, "ld_hugetext", row->ours);
  json_set_fraction (json, "worth", most > 0 ? row->worth / most : 0);
  json_set_number (json, "starts", row->starts);
  json_set_true_false (json, "short_lived", row->short_lived);
  json_set_number (json, "samples", row->samples);
  json_set_number (json, "samples_in_text", row->in_text);
  json_set_number (json, "samples_made_at_run_time", row->in_made);
  json_set_fraction (json, "misses",
                     executed > 0 ? row->misses / executed : 0);
  json_set_sums (json, &row->sums);
  return json;
}

void
survey_print_json (const struct survey *survey, const struct survey_how *how)
{
  struct json_object *json = json_begin ();
  struct json_object *programs = json_object_new_array ();
  for (size_t i = 0; i < survey->count; ++i)
    json_object_array_add (programs, row_json (survey, survey->rows[i]));
  json_set_fraction (json, "seconds", how->seconds);
  json_set_string (json, "sampled", how->event);
  json_set_true_false (json, "too_few_samples", survey->too_few);
  json_set_true_false (json, "own_processes_only", how->own);
  json_set_number (json, "unreadable", survey->unread);
  json_set_string (json, "tlb", tlb_look ().words);
  json_object_object_add (json, "programs", programs);
  json_print (stdout, json, false);
}
