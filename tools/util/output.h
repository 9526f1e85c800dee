/* Standard output: an error of writing is reported, not passed over.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* From now on, what is printed on standard output and error is made printable
   first (printable.h), and what could not be written to standard output when
   we exit gets one line on stderr.  What is closed of standard input, output
   and error is kept from becoming a file that we open; programs that we
   execute find it closed.  */
extern void output_watch (void);

/* Write to standard output what has been printed so far.  False if something
   could not be written.  */
extern bool output_flush (void);

/* That line begins with NAME, and then the exit status is STATUS.  */
extern void output_failure (const char *name, int status);

#endif
