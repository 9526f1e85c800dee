/* Parse the options of a command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OPTIONS_H
#define OPTIONS_H

#include <argp.h>

/* Parse ARGV with ARGP and INPUT, adding --help and --version.  Options end
   at the first other word.  What is wrong gets one line on stderr and
   EXIT_STATUS.  */
extern void options_parse (const struct argp *argp, int argc, char **argv,
                           int exit_status, void *input);

/* Options that several commands have, as children of their argps: --json,
   whose input is a bool, and --loader=FILE, whose input is a const char *.
   --backing, --max and --pad are in setting-options.h.  */
extern const struct argp options_json, options_loader;

/* At ARGP_KEY_ARGS: all words that remain.  They are WHAT, as "programs",
   and must not be options.  */
extern char **options_words (struct argp_state *state, const char *what);

/* Say what is wrong with an option's argument, and end with the exit status
   given to options_parse.  */
extern void options_fail (const char *format, ...)
    __attribute__ ((format (printf, 1, 2), noreturn));

/* Say what is wrong with the use of COMMAND and end with EXIT_STATUS.  */
extern void usage_fail (int exit_status, const char *format, ...)
    __attribute__ ((format (printf, 2, 3), noreturn));

#endif
