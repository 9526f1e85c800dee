/* Parse the options of a verb according to a table.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   getopt_long parses the words, because its message about an unknown option
   is short.  argp formats the output of --help.  */

#include "util/options.h"
#include "util/exit-status.h"
#include "util/filelist.h"
#include "util/output.h"

#include <argp.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  KEY_VERSION = 0x1000,
  KEY_OWN, /* The key of the first option without a letter.  */
  MOST_OPTIONS = 24
};

/* VERB is the verb that was parsed last.  If the user's command line is wrong,
   the command exits with FAILURE_STATUS.  */
static const char *verb;
static int failure_status;

void
options_fail (const char *format, ...)
{
  va_list ap;
  /* First flush the output that was printed earlier.  */
  output_flush ();
  fprintf (stderr, "%s: ", verb);
  va_start (ap, format);
  vfprintf (stderr, format, ap);
  va_end (ap);
  fputc ('\n', stderr);
  exit (failure_status);
}

bool
take_flag (void *field, const char *argument, struct problem *problem)
{
  (void) argument;
  (void) problem;
  *(bool *) field = true;
  return true;
}

bool
take_word (void *field, const char *argument, struct problem *problem)
{
  (void) problem;
  *(const char **) field = argument;
  return true;
}

bool
take_name (void *field, const char *argument, struct problem *problem)
{
  (void) problem;
  file_list_add (field, argument);
  return true;
}

bool
take_number (double *number, const char *argument, const char *what,
             double least, double most, struct problem *problem)
{
  char *end;
  double value = strtod (argument, &end);
  if (end == argument || *end != '\0' || !(value >= least) || value > most)
    return problem_set (problem, "%s from %.10g to %.10g", what, least, most);
  *number = value;
  return true;
}

/* The options of a verb in the formats of getopt_long and of argp.  */
struct tables
{
  char letters[2 * MOST_OPTIONS + 2];
  struct option words[MOST_OPTIONS];
  struct argp_option help[MOST_OPTIONS];
};

/* Fill TABLES from the verb's own table OWN.  */
static void
fill_tables (struct tables *tables, const struct command_option *own)
{
  static const struct argp_option common[] = {
    { "help", 'h', NULL, 0, "Print this help and exit", -1 },
    { "version", KEY_VERSION, NULL, 0, "Print the version and exit", -1 },
    { 0 },
  };
  size_t n = 0;
  *tables = (struct tables){ .letters = "+" };
  for (; own[n].name != NULL && n + 3 < MOST_OPTIONS; ++n)
    {
      const char *argument = own[n].argument;
      bool optional = argument != NULL && argument[0] == '[';
      tables->help[n] = (struct argp_option){
        .name = own[n].name,
        .key = own[n].letter != 0 ? own[n].letter : KEY_OWN + (int) n,
        .arg = argument + optional,
        .flags = ((optional ? OPTION_ARG_OPTIONAL : 0)
                  | (own[n].help == NULL ? OPTION_HIDDEN : 0)),
        .doc = own[n].help
      };
    }
  if (own[n].name != NULL)
    abort ();
  memcpy (&tables->help[n], common, sizeof common);
  char *letter = tables->letters + 1;
  for (size_t i = 0; tables->help[i].name != NULL; ++i)
    {
      const struct argp_option *option = &tables->help[i];
      int argument
          = (option->arg == NULL                          ? no_argument
             : (option->flags & OPTION_ARG_OPTIONAL) != 0 ? optional_argument
                                                          : required_argument);
      tables->words[i] = (struct option){ .name = option->name,
                                          .has_arg = argument,
                                          .val = option->key };
      if (option->key < KEY_VERSION)
        {
          *letter++ = option->key;
          if (argument == required_argument)
            *letter++ = ':';
        }
    }
}

/* Handle option KEY of USAGE, whose options are in TABLES; INPUT is the
   verb's struct.  */
static void
take_option (const struct command_usage *usage, const struct tables *tables,
             int key, void *input)
{
  const struct argp argp = { .options = tables->help,
                             .args_doc = usage->arguments,
                             .doc = usage->doc,
                             .help_filter = usage->help_filter };
  switch (key)
    {
    case '?':
      exit (failure_status);
    case 'h':
      argp_help (&argp, stdout, ARGP_HELP_STD_HELP, (char *) verb);
      exit (0);
    case KEY_VERSION:
      puts ("hugetext (ld-hugetext) " PACKAGE_VERSION);
      exit (0);
    }
  size_t n = 0;
  while (tables->help[n].key != key)
    ++n;
  const struct command_option *option = &usage->options[n];
  struct problem wanted;
  if (!option->take ((char *) input + option->field, optarg, &wanted))
    options_fail ("--%s=%s: must be %s", option->name, optarg, wanted.text);
}

/* Store WORDS, the remaining arguments, in INPUT.  QUOTED is true if the words
   come after "--".  */
static void
take_words (const struct command_usage *usage, char **words, bool quoted,
            void *input)
{
  if (words[0] == NULL)
    {
      if (usage->missing != NULL)
        options_fail ("%s", usage->missing);
      return;
    }
  if (usage->takes_none)
    options_fail ("%s: %s takes no arguments", words[0], verb);
  for (char **word = words; usage->words != NULL && *word != NULL; ++word)
    if ((*word)[0] == '-' && !quoted)
      options_fail ("%s: options come before the %s", *word, usage->words);
  *(char ***) ((char *) input + usage->field) = words;
}

/* Parse the next option in ARGV, and return what getopt_long would return.
   Do not use the error messages of getopt_long, because they contain words of
   the command line, which may contain newlines.  */
static int
next_option (int argc, char **argv, const struct tables *tables)
{
  FILE *const stream = stderr;
  char *message = NULL;
  size_t size;
  FILE *memory = open_memstream (&message, &size);
  if (memory == NULL)
    options_fail ("%s", strerror (errno));
  stderr = memory;
  const int key
      = getopt_long (argc, argv, tables->letters, tables->words, NULL);
  stderr = stream;
  if (fclose (memory) == 0 && size > 0)
    fprintf (stderr, "%.*s; %s --help lists the options\n", (int) size - 1,
             message, verb);
  free (message);
  return key;
}

void
options_parse (const struct command_usage *usage, int argc, char **argv,
               int exit_status, void *input)
{
  static const struct command_option none[] = { { 0 } };
  struct tables tables;
  bool first = usage->take_first != NULL;
  int key;
  verb = argv[0];
  failure_status = exit_status;
  output_failure (verb,
                  exit_status == STATUS_USAGE ? STATUS_PARTLY : exit_status);
  fill_tables (&tables, usage->options != NULL ? usage->options : none);
  optind = 0;
  do
    {
      while ((key = next_option (argc, argv, &tables)) != -1)
        take_option (usage, &tables, key, input);
      if (!first || optind == argc)
        break;
      struct problem wanted;
      if (!usage->take_first (input, argv[optind], &wanted))
        options_fail ("%s: must be %s", argv[optind], wanted.text);
      first = false;
    }
  while (++optind < argc);
  take_words (usage, argv + optind, strcmp (argv[optind - 1], "--") == 0,
              input);
}
