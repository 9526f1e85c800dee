/* The options of a verb: a table, and its parser.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OPTIONS_H
#define OPTIONS_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>

/* An option of a verb.  Its argument, or its presence if it takes none, sets a
   member of the verb's own struct.  */
struct command_option
{
  const char *name;
  int letter;           /* The short option, or 0.  */
  const char *argument; /* The name of the option's argument in --help; NULL if
                           the option takes none.  A leading '[' makes the
                           argument optional.  */
  const char *help;     /* The text for --help; NULL hides an internal
                           option.  */
  /* Set FIELD from ARGUMENT, which is NULL if the option has none.  PROBLEM is
     what ARGUMENT must be, such as "a number from 8 to 1000".  */
  bool (*take) (void *field, const char *argument, struct problem *problem);
  size_t field; /* The member's offset in the struct.  */
};

/* The usage of a verb.  */
struct command_usage
{
  const struct command_option *options; /* The options; the last entry has no
                                           name.  Return NULL if the verb has
                                           no options.  */
  const char *arguments;                /* The text after the options in
                                           --help.  */
  const char *doc;                      /* The description, in argp's form.  */
  char *(*help_filter) (int key, const char *text, void *input);
  /* The name of the words after the options, such as "processes".  No option
     may come after the first of them.  If NULL, no words are allowed if
     TAKES_NONE; otherwise the words are a command with its own options.  */
  const char *words;
  bool takes_none;
  size_t field;        /* The offset of a char ** for the words; the member is
                          not set without words.  */
  const char *missing; /* The error message if no words follow the options;
                          NULL if they may be missing.  */
  /* Take the first word, as an option's TAKE does.  Options may follow it.  */
  bool (*take_first) (void *input, const char *word, struct problem *problem);
};

/* Parse ARGV by USAGE into INPUT, with --help and --version.  Options end at
   the first other word; if USAGE has TAKE_FIRST, at the second.  An error
   prints one line on stderr and exits with EXIT_STATUS.  */
extern void options_parse (const struct command_usage *usage, int argc,
                           char **argv, int exit_status, void *input);

/* Functions for TAKE: for a bool, which becomes true; for a const char *; for
   a struct file_list, to which the argument is added.  */
extern bool take_flag (void *field, const char *argument,
                       struct problem *problem);
extern bool take_word (void *field, const char *argument,
                       struct problem *problem);
extern bool take_name (void *field, const char *argument,
                       struct problem *problem);

/* Set NUMBER to the decimal number ARGUMENT.  False, without a change of
   NUMBER, if ARGUMENT is not a number from LEAST to MOST; PROBLEM then has
   WHAT and these limits.  */
extern bool take_number (double *number, const char *argument,
                         const char *what, double least, double most,
                         struct problem *problem);

/* Rows for options that several verbs have.  */
#define OPTION_JSON(field)                                            \
  {                                                                   \
    "json", 0, NULL, "Print JSON, with all details", take_flag, field \
  }
#define OPTION_LOADER(field)                                               \
  {                                                                        \
    "loader", 0, "FILE", "Use this ld-hugetext.so, not the one installed", \
        take_word, field                                                   \
  }

/* Report wrong usage of the verb that was parsed last, and exit with the
   status that options_parse was given.  */
extern void options_fail (const char *format, ...)
    __attribute__ ((format (printf, 1, 2), noreturn));

#endif
