/* The options of a verb: a table, and its parser.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   argp does the work.  Its own messages take two lines and do not say what
   would be right, so they are switched off; then --help must be implemented
   here, too.  */

#include "util/options.h"
#include "util/exit-status.h"
#include "util/filelist.h"
#include "util/output.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  KEY_VERSION = 0x1000,
  KEY_OWN, /* The key of the first option that has no letter.  */
  MOST_OPTIONS = 24
};

static const struct argp_option common_options[] = {
  { "help", 'h', NULL, 0, "Print this and exit", -1 },
  { "version", KEY_VERSION, NULL, 0, "Print the version and exit", -1 },
};

/* The state of parsing.  */
static struct
{
  const struct command_usage *usage;
  const char *name;
  int status; /* The exit status for wrong usage.  */
  void *input;
  bool first;  /* The first word has been taken.  */
  int stopped; /* The index of the word after the one at which argp has
                  stopped.  */
  struct argp_option options[MOST_OPTIONS];
} current;

static void __attribute__ ((noreturn)) fail (const char *format, va_list ap)
{
  /* Write earlier output first.  */
  output_flush ();
  fprintf (stderr, "%s: ", current.name);
  vfprintf (stderr, format, ap);
  fputc ('\n', stderr);
  exit (current.status);
}

void
options_fail (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fail (format, ap);
}

const char *
take_flag (void *field, const char *argument)
{
  (void) argument;
  *(bool *) field = true;
  return NULL;
}

const char *
take_word (void *field, const char *argument)
{
  *(const char **) field = argument;
  return NULL;
}

const char *
take_name (void *field, const char *argument)
{
  return file_list_add (field, argument) ? NULL : "less: there is no memory";
}

bool
take_number (double *number, const char *argument, double least, double most)
{
  char *end;
  double value = strtod (argument, &end);
  if (end == argument || *end != '\0' || !(value >= least) || value > most)
    return false;
  *number = value;
  return true;
}

static void *
field_at (size_t offset)
{
  return (char *) current.input + offset;
}

/* Take the option number N of the command.  */
static void
take_option (size_t n, const char *argument)
{
  const struct command_option *option = &current.usage->options[n];
  const char *wanted = option->take (field_at (option->field), argument);
  if (wanted != NULL)
    options_fail ("--%s=%s: must be %s", option->name, argument, wanted);
}

/* Take all words that remain.  */
static void
take_words (struct argp_state *state)
{
  char **words = state->argv + state->next;
  const char *what = current.usage->words;
  for (char **word = words; what != NULL && *word != NULL; ++word)
    if ((*word)[0] == '-' && !state->quoted)
      options_fail ("%s: options come before the %s", *word, what);
  state->next = state->argc;
  *(char ***) field_at (current.usage->field) = words;
}

/* Take WORD, the first or a later one.  */
static error_t
take_one (const char *word)
{
  const struct command_usage *usage = current.usage;
  if (usage->takes_none)
    options_fail ("%s: %s takes no names", word, current.name);
  if (usage->take_first == NULL || current.first)
    return ARGP_ERR_UNKNOWN;
  const char *wanted = usage->take_first (current.input, word);
  if (wanted != NULL)
    options_fail ("%s: must be %s", word, wanted);
  current.first = true;
  return 0;
}

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  switch (key)
    {
    case ARGP_KEY_ERROR:
      current.stopped = state->next;
      return 0;
    case ARGP_KEY_ARG:
      return take_one (arg);
    case ARGP_KEY_ARGS:
      take_words (state);
      return 0;
    case ARGP_KEY_NO_ARGS:
      if (current.usage->missing != NULL)
        options_fail ("%s", current.usage->missing);
      return 0;
    case 'h':
      argp_help (state->root_argp, stdout, ARGP_HELP_STD_HELP,
                 (char *) current.name);
      exit (0);
    case KEY_VERSION:
      puts ("hugetext (ld-hugetext) " PACKAGE_VERSION);
      exit (0);
    }
  for (size_t n = 0; current.usage->options[n].name != NULL; ++n)
    if (current.options[n].key == key)
      {
        take_option (n, arg);
        return 0;
      }
  return ARGP_ERR_UNKNOWN;
}

/* Fill current.options from the verb's own table.  */
static void
list_for_argp (void)
{
  const struct command_option *own = current.usage->options;
  size_t n = 0;
  for (; own[n].name != NULL && n + 3 < MOST_OPTIONS; ++n)
    {
      const char *argument = own[n].argument;
      bool optional = argument != NULL && argument[0] == '[';
      current.options[n] = (struct argp_option){
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
  memcpy (&current.options[n], common_options, sizeof common_options);
}

/* Return the option that WORD, "--NAME" or "--NAME=VALUE", names, if there is
   just one.  Set COUNT to the number of options that it could name.  */
static const struct argp_option *
find_option (const char *word, size_t *count)
{
  const size_t length = strcspn (word + 2, "=");
  const struct argp_option *found = NULL;
  *count = 0;
  for (const struct argp_option *o = current.options; o->name != NULL; ++o)
    if (strncmp (o->name, word + 2, length) == 0)
      {
        found = o;
        ++*count;
        if (o->name[length] == '\0')
          {
            *count = 1;
            break;
          }
      }
  return found;
}

/* Return the names of all options that are not hidden.  */
static const char *
list_options (void)
{
  static char list[256];
  size_t length = 0;
  for (const struct argp_option *o = current.options; o->name != NULL; ++o)
    if ((o->flags & OPTION_HIDDEN) == 0 && length < sizeof list)
      length += snprintf (list + length, sizeof list - length, "%s--%s",
                          length > 0 ? ", " : "", o->name);
  return list;
}

/* Report what is wrong with WORD, at which argp has stopped, and exit.  */
static void __attribute__ ((noreturn)) explain_word (const char *word)
{
  size_t count = 0;
  const struct argp_option *option
      = strncmp (word, "--", 2) == 0 ? find_option (word, &count) : NULL;
  if (count > 1)
    options_fail ("%s is short for more than one option of: %s", word,
                  list_options ());
  if (option != NULL && option->arg == NULL && strchr (word, '=') != NULL)
    options_fail ("--%s takes no value", option->name);
  if (option != NULL && option->arg != NULL)
    options_fail ("--%s needs a value: --%s=%s", option->name, option->name,
                  option->arg);
  options_fail ("%.*s is no option here; there are %s",
                (int) strcspn (word, "="), word, list_options ());
}

void
options_parse (const struct command_usage *usage, int argc, char **argv,
               int exit_status, void *input)
{
  current = (typeof (current)){
    .usage = usage, .name = argv[0], .status = exit_status, .input = input
  };
  list_for_argp ();
  const struct argp argp = { .options = current.options,
                             .parser = parse_option,
                             .args_doc = usage->arguments,
                             .doc = usage->doc,
                             .help_filter = usage->help_filter };
  output_failure (current.name,
                  exit_status == STATUS_USAGE ? STATUS_PARTLY : exit_status);
  error_t error
      = argp_parse (&argp, argc, argv,
                    ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_ERRS, NULL, input);
  if (error == 0)
    return;
  int stopped = current.stopped;
  if (error != EINVAL || stopped < 1)
    options_fail ("%s", strerror (error));
  /* argp may have stopped within a word of several short options.  */
  bool in_word = (stopped < argc && argv[stopped][0] == '-'
                  && argv[stopped][1] != '-' && strlen (argv[stopped]) > 2);
  explain_word (argv[in_word ? stopped : stopped - 1]);
}
