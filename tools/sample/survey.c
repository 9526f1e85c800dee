/* A survey of the running programs that would gain from text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sample/sample.h"
#include "host/group.h"
#include "object/plan.h"
#include "object/program.h"
#include "text/inspect.h"
#include "text/json.h"
#include "tlb/tlb.h"
#include "util/printable.h"
#include "util/terminal.h"
#include "util/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  /* The minimum number of samples for a ranking of programs.  With a single
     sample on each of a hundred pages, for example, every sample would count
     as a TLB miss.  (One busy processor gives 10,000 samples in five
     seconds.)  */
  LEAST_SAMPLES = 500,
  /* The maximum number of lines of the table.  */
  TABLE_LENGTH = 10,
};

/* The minimum gain of a program in the table, as a share of the gain of the
   first program.  */
#define LEAST_WORTH 0.02

/* Inspect all running processes of the programs in SAMPLING.  */
static void
sample_survey_inspect_programs (struct sampling *sampling)
{
  pid_t *list;
  ssize_t n = process_list (&list);
  for (ssize_t i = 0; i < n; ++i)
    {
      struct inspection found;
      struct sampled_program *program
          = sampled_program (sampling, list[i], false, NULL, NULL);
      if (list[i] == getpid () || program == NULL)
        continue;
      const bool good = inspect (list[i], INSPECT_BRIEF, &found);
      inspect_say_left_out (&found);
      if (!good)
        continue;
      struct text_sums sums = report_sums (&found.objects);
      /* A program is small if all its processes have too little text to gain
         from huge pages.  */
      program->small
          = ((program->processes == 0 || program->small) && found.small);
      ++program->processes;
      report_add (&program->sums, &sums);
      inspect_free (&found);
    }
  if (n >= 0)
    free (list);
}

/* If all processes of PROGRAM have ended, find out from its file whether
   PROGRAM is small.  */
static void
look_at_file (struct sampled_program *program)
{
  struct problem problem;
  size_t text;
  if (program->processes == 0 && program->path != NULL
      && !program_is_brief (program)
      && program_ask_text (program->path, &text, &problem))
    program->small = plan_is_small (text);
}

static int
by_worth (const void *a, const void *b)
{
  const struct sampled_program *x = *(struct sampled_program *const *) a;
  const struct sampled_program *y = *(struct sampled_program *const *) b;
  return (x->worth < y->worth) - (x->worth > y->worth);
}

/* Print a line for PROGRAM.  MOST is the highest value of the column "worth"
   of all programs, and SAMPLES is the total number of samples.  */
static void
sample_survey_print_row (const struct sampled_program *program, double most,
                         double samples)
{
  enum
  {
    TAKEN = 52, /* The width of a line in columns, without the name of the
                   service.  */
  };
  const int room = terminal_columns ();
  char name[256], service[256], text[24] = "-", huge[16] = "-";
  const double used = program->sums.small + program->sums.huge;
  /* If all processes of PROGRAM have ended, their text is unknown.  */
  if (used > 0)
    {
      snprintf (text, sizeof text, "%.1f", used / (1 << 20));
      snprintf (huge, sizeof huge, "%.0f %%",
                column_share_shown (100 * program->sums.huge / used, 1));
    }
  printf ("%-12s %5.0f %5.1f %% %5.0f %% %8s %6s  %s\n",
          terminal_text (program->name, 12, name, sizeof name),
          100 * program->worth / most, 100 * program->samples / samples,
          100 * program_misses (program), text, huge,
          /* If a path is too long, omit its beginning, because its end is more
             useful.  */
          (program->service[0] == '/' ? terminal_tail : terminal_text) (
              group_words (program->service), room > TAKEN ? room - TAKEN : 0,
              service, sizeof service));
}

/* Return true if PROGRAM belongs to a service, so that other verbs accept the
   name of this service.  */
static bool
sample_survey_is_service (const struct sampled_program *program)
{
  const char *dot = strrchr (program->service, '.');
  return dot != NULL && strcmp (dot, ".service") == 0;
}

/* Return the word by which other verbs know PROGRAM: its service or its path.
   Return NULL if this word is unknown, or would need quotes in a shell.  */
static const char *
sample_survey_get_word (const struct sampled_program *program)
{
  const char *word
      = sample_survey_is_service (program) ? program->service : program->path;
  return word != NULL && is_plain_word (word) ? word : NULL;
}

/* Set WORDS to the command that gives huge text to PROGRAM.  Return false if
   there is no command, for example because "hugetext enable" refuses the
   service.  */
static bool
find_command (const struct sampled_program *program,
              char words[static REASON_SIZE])
{
  const char *word = sample_survey_get_word (program);
  if (word == NULL)
    return false;
  if (!sample_survey_is_service (program))
    {
      snprintf (words, REASON_SIZE, "hugetext run --report -- %.400s", word);
      return true;
    }
  return reason_advise_enable (word, words);
}

/* Print a command that gives huge text to one of the COUNT programs in LIST:
   the first program for which there is such a command.  LIST begins with the
   program that would gain most from huge pages.  */
static void
print_command (struct sampled_program *const *list, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    {
      char words[REASON_SIZE];
      if (!find_command (list[i], words))
        continue;
      printf ("Next: %s\n", words);
      return;
    }
}

/* If the TLB of this machine splits huge pages, print that huge pages gain
   less, and print how to measure the gain for PROGRAM.  */
static void
print_tlb (const struct sampled_program *program)
{
  const bool service = sample_survey_is_service (program);
  const bool named = service && is_plain_word (program->service);
  const struct tlb_finding tlb = tlb_look ();
  if (tlb.remedy != NULL)
    terminal_say (stdout, 0, "TLB: %s; remedy: %s%s", tlb.words, tlb.remedy,
                  tlb_measure (named     ? TLB_READER_SERVICE
                               : service ? TLB_READER_ANY
                                         : TLB_READER_COMMAND,
                               named ? program->service : ""));
}

/* Print whether PROGRAM has more hot text than the CPU's TLB can hold.  */
static void
sample_survey_print_hot (struct sampled_program *program)
{
  const struct settings none = { 0 };
  char name[256];
  struct problem problem;
  if (!plan_hot_fits (program_hot_blocks (program), &none, &problem))
    terminal_say (stdout, 4, "%s: %s; remedy: %s",
                  terminal_text (program->name, 0, name, sizeof name),
                  problem.text, PLAN_HOT_REMEDY);
}

/* Print a table of the programs of SAMPLING that would gain most from huge
   pages.  */
static void
sample_survey_print_table (const struct sampling *sampling, double samples)
{
  struct sampled_program *const *programs = sampling->programs;
  const size_t count = sampling->nprograms;
  const double most = count > 0 ? programs[0]->worth : 0;
  size_t lines = 0;
  if (most == 0)
    {
      puts ("No running program would gain from huge text.");
      return;
    }
  puts ("program      worth    time  misses text MiB   huge  service");
  while (lines < count && lines < TABLE_LENGTH
         && programs[lines]->worth >= LEAST_WORTH * most)
    sample_survey_print_row (programs[lines++], most, samples);
  if (lines < count)
    terminal_say (
        stdout, 0,
        "The table leaves out " COUNT_FORMAT
        " that would gain much less, that ran for less than a tenth "
        "of a second, or that have too little text to gain from huge "
        "pages.",
        COUNT (count - lines, "program"));
  for (size_t i = 0; i < lines; ++i)
    sample_survey_print_hot (programs[i]);
  print_tlb (programs[0]);
  print_command (programs, lines);
}

/* Set KEY of JSON to N, or to null if N is 0.  */
static void
set_count (struct json_object *json, const char *key, size_t n)
{
  if (n > 0)
    json_set_number (json, key, n);
  else
    json_set_string (json, key, NULL);
}

static struct json_object *
program_json (struct sampled_program *program, double most)
{
  const size_t hot = program_hot_blocks (program);
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "program", program->name);
  json_set_string (json, "path", program->path);
  json_set_string (json, "service", program->service);
  json_set_number (json, "processes", program->processes);
  json_set_fraction (json, "worth", most > 0 ? program->worth / most : 0);
  json_set_number (json, "starts", program->starts);
  json_set_true_false (json, "short_lived", program_is_brief (program));
  json_set_true_false (json, "small_program", program->small);
  json_set_number (json, "samples", program->samples);
  json_set_number (json, "samples_in_text", program->in_text);
  json_set_number (json, "samples_made_at_run_time", program->outside);
  json_set_fraction (json, "misses", program_misses (program));
  set_count (json, "hot_blocks", hot);
  json_set_sums (json, &program->sums);
  return json;
}

static void
print_json (const struct sampling *sampling, bool too_few)
{
  const struct settings none = { 0 };
  const size_t cap = plan_cap (&none);
  struct json_object *json = json_begin ();
  struct json_object *list = json_object_new_array ();
  for (size_t i = 0; i < sampling->nprograms; ++i)
    json_object_array_add (list, program_json (sampling->programs[i],
                                               sampling->programs[0]->worth));
  json_set_fraction (json, "seconds", sampling->time);
  json_set_string (json, "sampled", sampling->event);
  json_set_true_false (json, "too_few_samples", too_few);
  json_set_true_false (json, "own_processes_only", sampling->own);
  json_set_string (json, "tlb", tlb_look ().words);
  set_count (json, "cpu_blocks", cap < SIZE_MAX ? cap : 0);
  json_object_object_add (json, "programs", list);
  json_print (stdout, json);
}

double
survey_seconds (const struct sampling *sampling, uint64_t samples,
                uint64_t needed, double most)
{
  const double least = 3 * sampling->time + 15;
  /* Half as many again, because programs are not always equally busy.  */
  const double wanted
      = samples > 0 ? 1.5 * sampling->time * needed / samples : 0;
  const double enough = wanted > least ? wanted : least;
  return enough < most ? enough : most;
}

bool
survey (struct sampling *sampling, bool json)
{
  const uint64_t samples = sampling->samples + sampling->kernel;
  const bool too_few = samples < LEAST_SAMPLES;
  sample_survey_inspect_programs (sampling);
  for (size_t i = 0; i < sampling->nprograms; ++i)
    {
      look_at_file (sampling->programs[i]);
      program_judge (sampling->programs[i]);
    }
  if (sampling->nprograms > 0)
    qsort (sampling->programs, sampling->nprograms, sizeof *sampling->programs,
           by_worth);
  if (json)
    print_json (sampling, too_few);
  else
    terminal_say (
        stdout, 0,
        COUNT_FORMAT " in %.1f s, by %s; the programs are ranked by their"
                     " misses in a simulated TLB.%s",
        COUNT (samples, "sample"), sampling->time, sampling->event,
        sampling->own ? " Only your own processes were sampled; as root, "
                        "hugetext survey samples all processes."
                      : "");
  if (too_few && !json)
    terminal_say (stdout, 0,
                  "There are fewer than " COUNT_FORMAT
                  ", too few to rank programs: "
                  "run hugetext survey %.0f while the machine has work to do.",
                  COUNT (LEAST_SAMPLES, "sample"),
                  survey_seconds (sampling, samples, LEAST_SAMPLES,
                                  SURVEY_SECONDS_MOST));
  else if (!json)
    sample_survey_print_table (sampling, samples);
  return sampling->nprograms > 0 && !too_few;
}
