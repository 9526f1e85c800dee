/* The options of a command: a table of them, and what parses it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* An option of a command.  Its argument, or without one its presence, sets a
   field of the command's own struct.  */
struct command_option
{
  const char *name;
  int letter;           /* The short option, or 0.  */
  const char *argument; /* The name of its argument in --help; NULL: there is
                           none.  With
                           '[' in front it may be left out.  */
  const char *help;     /* NULL: the option is not for people.  */
  /* Set FIELD by ARGUMENT, which is NULL where there is none.  Returns NULL,
     or what ARGUMENT must be, as "a number from 8 to 1000".  */
  const char *(*take) (void *field, const char *argument);
  size_t field; /* Its offset in the struct.  */
};

/* How a command is used.  */
struct command_usage
{
  const struct command_option *options; /* The last has no name.  */
  const char *arguments;                /* The text behind them in --help.  */
  const char *doc;                      /* As argp's.  */
  char *(*help_filter) (int key, const char *text, void *input);
  /* The name of the words behind the options, as "processes": there must be no
     options among them.  NULL: a command with options of its own, or no words
     if TAKES_NONE.  */
  const char *words;
  bool takes_none;
  size_t field;        /* The offset of a char **: the words, which is left as
                          it is where there are none.  */
  const char *missing; /* The message if there are none, or NULL.  */
  /* Takes the first word, behind which options may come.  As in an option.  */
  const char *(*take_first) (void *input, const char *word);
};

/* Parse ARGV by USAGE into INPUT, with --help and --version.  Options end at
   the first other word, or the second after take_first.  What is wrong gets
   one line on stderr and EXIT_STATUS.  */
extern void options_parse (const struct command_usage *usage, int argc,
                           char **argv, int exit_status, void *input);

/* Takers: of a bool, which becomes true; of a const char *; of a struct
   file_list, to which the argument is added.  */
extern const char *take_flag (void *field, const char *argument);
extern const char *take_word (void *field, const char *argument);
extern const char *take_name (void *field, const char *argument);

/* Set NUMBER to the decimal number ARGUMENT.  False, and it stays, if that is
   none, or not from LEAST to MOST.  */
extern bool take_number (double *number, const char *argument, double least,
                         double most);

/* Options that several commands have.  */
#define OPTION_JSON(field)                                                    \
  {                                                                           \
    "json", 0, NULL, "Print JSON, with all there is to say", take_flag, field \
  }
#define OPTION_LOADER(field)                                               \
  {                                                                        \
    "loader", 0, "FILE", "Use this ld-hugetext.so, not the one installed", \
        take_word, field                                                   \
  }

/* Say what is wrong with the use of the command that was parsed last, and end
   with the exit status that options_parse was given.  */
extern void options_fail (const char *format, ...)
    __attribute__ ((format (printf, 1, 2), noreturn));

#endif
