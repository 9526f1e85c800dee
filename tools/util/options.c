/* Parse the options of a command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   argp does the work.  Its own messages take two lines and do not say what
   would be right, so they are switched off; then --help must be ours too.  */

#include "util/options.h"
#include "util/exit-status.h"
#include "util/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Commands have their own keys from 0x100 on, setting-options.h from 0x200
   on.  */
enum
{
  KEY_VERSION = 0x1000,
  KEY_JSON,
  KEY_LOADER,
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

static const struct argp_option json_options[] = {
  { "json", KEY_JSON, NULL, 0, "Print JSON, with all there is to say", 0 },
  { 0 },
};

static error_t
parse_json (int key, char *arg, struct argp_state *state)
{
  (void)arg;
  if (key != KEY_JSON)
    return ARGP_ERR_UNKNOWN;
  *(bool *)state->input = true;
  return 0;
}

const struct argp options_json
    = { .options = json_options, .parser = parse_json };

static const struct argp_option loader_options[] = {
  { "loader", KEY_LOADER, "FILE", 0,
    "Use this ld-hugetext.so, not the one installed", 0 },
  { 0 },
};

static error_t
parse_loader (int key, char *arg, struct argp_state *state)
{
  if (key != KEY_LOADER)
    return ARGP_ERR_UNKNOWN;
  *(const char **)state->input = arg;
  return 0;
}

const struct argp options_loader
    = { .options = loader_options, .parser = parse_loader };

static void
fail (int status, const char *format, va_list ap)
{
  /* What was printed already comes first.  */
  output_flush ();
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

/* What find_option and list_options look for.  */
struct search
{
  const char *name; /* The beginning of an option's, and its LENGTH.  */
  size_t length;
  const struct argp_option *found, *exact;
  size_t count;
  char list[256];
};

static void
search_table (const struct argp_option *options, struct search *search)
{
  for (const struct argp_option *o = options; o != NULL && o->name != NULL;
       o++)
    {
      if (search->name == NULL)
        {
          if ((o->flags & OPTION_HIDDEN) == 0
              && strlen (search->list) + strlen (o->name) + 5
                     < sizeof search->list)
            {
              strcat (search->list, search->list[0] != '\0' ? ", --" : "--");
              strcat (search->list, o->name);
            }
        }
      else if (strncmp (o->name, search->name, search->length) == 0)
        {
          search->found = o;
          search->count++;
          if (strlen (o->name) == search->length)
            search->exact = o;
        }
    }
}

/* Go over the options of ARGP and its children.  */
static void
search_options (const struct argp *argp, struct search *search)
{
  for (const struct argp_child *child = argp->children;
       child != NULL && child->argp != NULL; child++)
    search_options (child->argp, search);
  search_table (argp->options, search);
}

/* The option of the current command that WORD, "--NAME" or "--NAME=VALUE",
   means, if there is just one.  COUNT is how many it could mean.  */
static const struct argp_option *
find_option (const char *word, size_t *count)
{
  struct search search
      = { .name = word + 2, .length = strcspn (word + 2, "=") };
  search_options (current, &search);
  search_table (common_options, &search);
  *count = search.exact != NULL ? 1 : search.count;
  return search.exact != NULL ? search.exact : search.found;
}

/* The names of all options that are not hidden.  */
static const char *
list_options (void)
{
  static struct search search;
  search = (struct search){ 0 };
  search_options (current, &search);
  search_table (common_options, &search);
  return search.list;
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
  const struct argp own = { .options = argp->options,
                            .parser = argp->parser,
                            .children = argp->children };
  const struct argp_child children[] = { { &own, 0, NULL, 0 }, { 0 } };
  const struct argp root = { .options = common_options,
                             .parser = parse_common,
                             .args_doc = argp->args_doc,
                             .doc = argp->doc,
                             .help_filter = argp->help_filter,
                             .children = children };
  current = argp;
  current_name = argv[0];
  current_status = exit_status;
  output_failure (current_name, exit_status == STATUS_USAGE ? STATUS_PARTLY
                                                            : exit_status);
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
