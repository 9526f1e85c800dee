/* Print what survey-rows.h found out, for people.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "procmaps.h"
#include "shell.h"
#include "survey-print.h"
#include "survey-table.h"
#include "printable.h"
#include "terminal.h"
#include "tlb.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines, unless all are asked for.  */
#define TABLE_LENGTH 10

/* Programs of less than so much of the first one's worth are not named.  */
#define LEAST 0.02

/* How many of SURVEY's rows are worth a line.  */
static size_t
count_lines (const struct survey *survey, const struct survey_how *how)
{
  size_t count = 0;
  if (how->all)
    return survey->count;
  const double first = survey->count > 0 ? survey->rows[0]->worth : 0;
  while (count < survey->count && count < TABLE_LENGTH
         && (first > 0 ? survey->rows[count]->worth >= LEAST * first
                       : survey->rows[count]->sums.small > procmaps_block ()))
    count++;
  return count;
}

/* The name of ROW, safe to print; in static memory.  */
static const char *
name_of (const struct survey_row *row)
{
  static char name[NAME_MAX + 1];
  return terminal_text (row->name, 0, name, sizeof name);
}

/* Say how it was found out.  */
static void
print_how (const struct survey *survey, const struct survey_how *how)
{
  if (how->problem != NULL)
    terminal_say (stdout, 0, "%s", how->problem);
  if (how->problem != NULL)
    terminal_say (stdout, 0, "For %.1f s the time of processes was counted; ranked by"
                    " that and by their text in use.",
                    how->seconds);
  else if (how->walks)
    terminal_say (stdout, 0, "%zu samples in %.1f s, by %s, and %zu of page walks for"
                    " instructions: ranked by these.",
                    survey->samples, how->seconds, how->event, survey->walks);
  else
    terminal_say (stdout, 0, "%zu samples in %.1f s, by %s. Nothing here counts misses:"
                    " ranked by what simulated TLBs make of the samples.",
                    survey->samples, how->seconds, how->event);
  if (how->own)
    terminal_say (stdout, 0, "Only processes of your own; root sees all.");
  else if (survey->unread > 0)
    terminal_say (stdout, 0, "%zu process%s could not be read.", survey->unread,
                    survey->unread == 1 ? "" : "es");
}

/* Say what is not in the table of COUNT lines.  */
static void
print_left_out (const struct survey *survey, size_t count)
{
  size_t copies = 0, brief = 0;
  const struct survey_row *made = NULL;
  for (size_t i = 0; i < survey->count; i++)
    {
      const struct survey_row *row = survey->rows[i];
      if (i < count)
        copies += row->copies;
      if (i < count && made == NULL && row->in_made * 4 > row->all)
        made = row;
      brief += row->short_lived;
    }
  if (count == 0)
    {
      terminal_say (stdout, 0, "Nothing that runs has anything to gain.");
      return;
    }
  if (count < survey->count)
    terminal_say (stdout, 0, "%zu programs with less to gain are left out (--all)%s.",
                    survey->count - count,
                    brief > 0 ? ", among them those that end within a tenth"
                                " of a second"
                              : "");
  if (made != NULL)
    terminal_say (stdout, 0, "%s is in code made at run time for %.0f %% of its time:"
                    " for that to be on huge pages it takes"
                    " glibc.mem.hugetext=3.",
                    name_of (made), 100.0 * made->in_made / made->all);
  terminal_say (stdout, 0, "Copies for all of these take %zu MiB of memory, images in"
                  " the store %zu MiB for all programs together; huge pages"
                  " of the files themselves none.",
                  copies * procmaps_block () >> 20, survey->stored >> 20);
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

/* Print what to type for the first of the COUNT rows that has something to
   gain and still runs.  */
static void
print_commands (const struct survey *survey, size_t count)
{
  const struct survey_row *row = NULL;
  for (size_t i = 0; row == NULL && i < count; i++)
    if (survey->rows[i]->worth > 0 && survey->rows[i]->pid != 0)
      row = survey->rows[i];
  if (row == NULL)
    return;
  if (row->elsewhere)
    {
      terminal_say (stdout, 0, "%s has a root directory of its own, as in a container: the"
                      " manual has how to give it the loader. To try it from"
                      " here as it runs, and to look:",
                      name_of (row));
      print_command ("attach", row->name);
      print_command ("status", row->name);
      return;
    }
  const char *dot = strrchr (row->service, '.');
  bool service = dot != NULL && strcmp (dot, ".service") == 0;
  terminal_say (stdout, 0, "To try it on %s as it runs, to look, and to have it from"
                  " its next start on:",
                  name_of (row));
  print_command ("attach", row->name);
  print_command ("status", row->name);
  if (service)
    print_command ("enable --restart", row->service);
  else if (row->path != NULL && access (row->path, X_OK) == 0)
    print_command ("enable", row->path);
}

void
survey_print (const struct survey *survey, const struct survey_how *how)
{
  const struct survey_context context = survey_context (survey, how->problem == NULL);
  size_t count = count_lines (survey, how);
  print_how (survey, how);
  if (survey->too_few)
    terminal_say (stdout, 0, "Too few samples to rank programs by, less than"
                  " %d: hugetext survey %.0f, while the machine has work to"
                  " do.%s", SURVEY_LEAST, how->seconds < 10 ? 30 : 3 * how->seconds,
                  how->all ? "" : " --all lists them all the same.");
  if (survey->too_few && !how->all)
    return;
  if (count > 0)
    survey_table (survey, count, &context);
  print_left_out (survey, count);
  const struct tlb_finding tlb = tlb_look ();
  if (tlb.verdict != TLB_WHOLE)
    terminal_say (stdout, 0, "TLB: %s%s%s", tlb.words,
                    tlb.remedy != NULL ? "; remedy: " : "",
                    tlb.remedy != NULL ? tlb.remedy : "");
  if (!survey->too_few)
    print_commands (survey, count);
}
