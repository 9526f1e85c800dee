/* Parse the options of a command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   argp does the work.  Its own messages take two lines and do not say what
   would be right, so they are switched off; then --help must be ours too.  */

#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  KEY_VERSION = 0x1000,
};

static const struct argp_option common_options[] = {
  { "help", 'h', NULL, 0, "Print this and exit", -1 },
  { "version", KEY_VERSION, NULL, 0, "Print the version and exit", -1 },
  { 0 },
};

/* What is being parsed.  */
static const struct argp *current;
static const char *current_name;
static int current_status;
static int stopped; /* The word after the one at which argp has stopped.  */

static error_t
parse_common (int key, char *arg, struct argp_state *state)
{
  (void)arg;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = state->input;
      return 0;
    case ARGP_KEY_ERROR:
      stopped = state->next;
      return 0;
    case 'h':
      argp_help (state->root_argp, stdout, ARGP_HELP_STD_HELP,
                 (char *)current_name);
      exit (0);
    case KEY_VERSION:
      puts ("hugetext (ld-hugetext) " PACKAGE_VERSION);
      exit (0);
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static void
fail (int status, const char *format, va_list ap)
{
  /* What was printed already comes first.  */
  fflush (stdout);
  fprintf (stderr, "%s: ", current_name);
  vfprintf (stderr, format, ap);
  fputc ('\n', stderr);
  exit (status);
}

void
options_fail (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fail (current_status, format, ap);
  abort ();
}

void
usage_fail (int exit_status, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fail (exit_status, format, ap);
  abort ();
}

char **
options_words (struct argp_state *state, const char *what)
{
  char **words = state->argv + state->next;
  for (char **word = words; *word != NULL; word++)
    if ((*word)[0] == '-' && !state->quoted)
      options_fail ("%s: options come before the %s", *word, what);
  state->next = state->argc;
  return words;
}

/* The option of the current command that WORD, "--NAME" or "--NAME=VALUE",
   means, if there is just one.  COUNT is how many it could mean.  */
static const struct argp_option *
find_option (const char *word, size_t *count)
{
  const struct argp_option *const tables[]
      = { current->options, common_options };
  const struct argp_option *found = NULL;
  size_t length = strcspn (word + 2, "=");
  *count = 0;
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const struct argp_option *o = tables[t]; o != NULL && o->name != NULL;
         o++)
      if (strncmp (o->name, word + 2, length) == 0)
        {
          found = o;
          if (strlen (o->name) == length)
            {
              *count = 1;
              return found;
            }
          ++*count;
        }
  return found;
}

/* The names of all options that are not hidden.  */
static const char *
list_options (void)
{
  static char list[256];
  const struct argp_option *const tables[]
      = { current->options, common_options };
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const struct argp_option *o = tables[t]; o != NULL && o->name != NULL;
         o++)
      if ((o->flags & OPTION_HIDDEN) == 0
          && strlen (list) + strlen (o->name) + 5 < sizeof list)
        {
          strcat (list, list[0] != '\0' ? ", --" : "--");
          strcat (list, o->name);
        }
  return list;
}

/* Say what is wrong with WORD, at which argp has stopped.  */
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
                (int)strcspn (word, "="), word, list_options ());
}

void
options_parse (const struct argp *argp, int argc, char **argv, int exit_status,
               void *input)
{
  const struct argp own = { .options = argp->options, .parser = argp->parser };
  const struct argp_child children[] = { { &own, 0, NULL, 0 }, { 0 } };
  const struct argp root = { .options = common_options,
                             .parser = parse_common,
                             .args_doc = argp->args_doc,
                             .doc = argp->doc,
                             .children = children };
  current = argp;
  current_name = argv[0];
  current_status = exit_status;
  error_t error
      = argp_parse (&root, argc, argv,
                    ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_ERRS, NULL, input);
  if (error == 0)
    return;
  if (error != EINVAL || stopped < 1)
    options_fail ("%s", strerror (error));
  /* In the middle of a word of several short options there is no next.  */
  bool in_word = (stopped < argc && argv[stopped][0] == '-'
                  && argv[stopped][1] != '-' && strlen (argv[stopped]) > 2);
  explain_word (argv[in_word ? stopped : stopped - 1]);
}
