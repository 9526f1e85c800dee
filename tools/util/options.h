/* Parse the options of a verb according to a table.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OPTIONS_H
#define OPTIONS_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>

/* An option of a verb.  The argument of the option is stored in a member of
   the verb's struct.  If the option has no argument, its presence sets the
   member.  */
struct command_option
{
  const char *name;
  int letter;           /* The letter of the short option, or 0.  */
  const char *argument; /* The name of the argument in --help, or NULL if the
                           option has no argument.  If the name begins with
                           '[', the argument is optional.  */
  const char *help;     /* The text in --help, or NULL for an internal option,
                           which --help does not show.  */
  /* The function that sets FIELD from ARGUMENT.  ARGUMENT is NULL if the user
     has given no argument.  If ARGUMENT is invalid, the function sets PROBLEM
     to a description of valid arguments, such as "a number from 8 to
     1000".  */
  bool (*take) (void *field, const char *argument, struct problem *problem);
  size_t field; /* The offset of the member in the struct.  */
};

/* The usage of a verb.  */
struct command_usage
{
  const struct command_option *options; /* The options.  The last element of
                                           the array has no name.  The member
                                           is NULL if the verb has no
                                           options.  */
  const char *arguments;                /* The text after the options in
                                           --help.  */
  const char *doc;                      /* The description, in the format of
                                           argp.  */
  char *(*help_filter) (int key, const char *text, void *input);
  /* A noun for the words after the options, such as "processes".  The options
     of the verb end at the first word, so no option of the verb may follow.
     If WORDS is NULL and TAKES_NONE is true, no words are allowed.  If WORDS
     is NULL and TAKES_NONE is false, the rest of the command line is a command
     that the verb executes, with the arguments of this command.  */
  const char *words;
  bool takes_none;
  size_t field;        /* The offset of the member for the words, a char **, in
                          the verb's struct.  The member stays unchanged if the
                          command line contains no words.  */
  const char *missing; /* The error message if there are no words after the
                          options, or NULL if they are optional.  */
  /* The function that handles the first word.  The function has the same
     parameters as the member TAKE of an option.  Options may follow the word
     that this function handles.  */
  bool (*take_first) (void *input, const char *word, struct problem *problem);
};

/* Parse ARGV by USAGE, and set the members of INPUT.  The function also
   handles --help and --version.  The options end at the first word that is
   not an option.  If USAGE has TAKE_FIRST, the options end at the second word
   that is not an option.  On an error, print one line on standard error, and
   exit with EXIT_STATUS.  */
extern void options_parse (const struct command_usage *usage, int argc,
                           char **argv, int exit_status, void *input);

/* Functions for the member TAKE: take_flag sets a bool to true, take_word sets
   a const char *, and take_name adds the argument to a struct file_list.  */
extern bool take_flag (void *field, const char *argument,
                       struct problem *problem);
extern bool take_word (void *field, const char *argument,
                       struct problem *problem);
extern bool take_name (void *field, const char *argument,
                       struct problem *problem);

/* Set NUMBER to the decimal number ARGUMENT.  If ARGUMENT is not a number from
   LEAST to MOST, do not change NUMBER, set PROBLEM to WHAT, followed by LEAST
   and MOST, and return false.  */
extern bool take_number (double *number, const char *argument,
                         const char *what, double least, double most,
                         struct problem *problem);

/* Rows of option tables, for options that several verbs have.  */
#define OPTION_JSON(field)                                            \
  {                                                                   \
    "json", 0, NULL, "Print JSON, with all details", take_flag, field \
  }
#define OPTION_LOADER(field)                                               \
  {                                                                        \
    "loader", 0, "FILE",                                                   \
        "Use this ld-hugetext.so instead of the installed one", take_word, \
        field                                                              \
  }

/* Report wrong usage of the verb that was parsed last, and exit with the
   status that was passed to options_parse.  */
extern void options_fail (const char *format, ...)
    __attribute__ ((format (printf, 1, 2), noreturn));

#endif
