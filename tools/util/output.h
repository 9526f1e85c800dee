/* Standard output: reports write errors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

/* Watch the output from now on.  Text on standard output and error is first
   made printable (printable.h), and a failure to write to standard output
   prints one line on stderr at exit.  If standard input, output or error is
   closed, no file that the command opens gets its number; programs that the
   command executes still find it closed.  */
extern void output_watch (void);

/* Write all output so far to standard output.  Return false if a part could
   not be written.  */
extern bool output_flush (void);

/* Set NAME, with which the line about an output failure begins, and the exit
   STATUS after such a failure.  */
extern void output_failure (const char *name, int status);

#endif
