/* Standard output: errors of writing are reported.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

/* Watch the output from now on: text on standard output and error is made
   printable first (printable.h), and a failure to write to standard output
   prints one line on stderr at exit.  A closed standard input, output or error
   does not become a file that the command opens; programs that the command
   executes find it closed.  */
extern void output_watch (void);

/* Write all output so far to standard output.  False if something could not be
   written.  */
extern bool output_flush (void);

/* Set NAME, which begins that line, and the exit STATUS after it.  */
extern void output_failure (const char *name, int status);

#endif
