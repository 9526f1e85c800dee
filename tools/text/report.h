/* Tables of the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REPORT_H
#define REPORT_H

#include "text/cost.h"
#include "text/objtext.h"

#include <stdio.h>

/* Sums of text in bytes.  */
struct text_sums
{
  size_t text, huge, small;
  unsigned int backing;
};

/* Return the sums over OBJECTS.  */
extern struct text_sums report_sums (const struct object_list *objects);

/* Return the share of huge pages in the text in use, per cent; -1 if none is
   in use.  */
extern double report_share (size_t huge, size_t small);

/* Return the letter for BLOCK in JSON.  */
extern char report_letter (const struct text_block *block);

/* Print a line for each object of OBJECTS with text, then their sum.  */
extern void report_objects (FILE *stream, const struct object_list *objects);

/* Print a line on the cost of the copies of a process or an object, and a line
   on its images in the store, if it has any; INDENT in front of each.  */
extern void report_cost (FILE *stream, const char *indent,
                         const struct cost *cost);

/* Print these lines for several processes.  */
extern void report_total (FILE *stream, const struct cost *sum);

/* Print the heading of a table of processes or services, and a line of it; PID
   and NAME stand in its first and last column.  Lines fit the terminal's
   width.  */
extern void report_process_heading (FILE *stream, const char *pid,
                                    const char *name);
extern void report_process (FILE *stream, const char *pid, const char *name,
                            const struct text_sums *sums);

#endif
