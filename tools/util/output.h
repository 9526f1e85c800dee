/* Standard output: make it printable, and report write errors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

/* From now on, make text on standard output and standard error printable
   (printable.h).  If writing to standard output fails, print one line on
   standard error at exit.  If standard input, output or error is closed, make
   sure that no file that the command opens gets its number; programs that the
   command executes still find it closed.  */
extern void output_watch (void);

/* Write out everything that was printed to standard output.  Return false if
   a part could not be written.  */
extern bool output_flush (void);

/* Set how the message about a failed write begins (NAME), and the exit STATUS
   after it.  */
extern void output_failure (const char *name, int status);

#endif
