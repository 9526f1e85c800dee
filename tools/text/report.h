/* Tables of the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REPORT_H
#define REPORT_H

#include "text/cost.h"
#include "text/objtext.h"

#include <stdio.h>

/* Bytes of text.  */
struct text_sums
{
  size_t text, huge, small;
  unsigned int backing;
};

/* The sums over OBJECTS.  */
extern struct text_sums report_sums (const struct object_list *objects);

/* Huge pages' share of the text in use, per cent; -1 if none is in use.  */
extern double report_share (size_t huge, size_t small);

/* The letter for BLOCK in JSON.  */
extern char report_letter (const struct text_block *block);

/* A line per object of OBJECTS with text, then their sum.  */
extern void report_objects (FILE *stream, const struct object_list *objects);

/* A line on what the copies of a process, or of an object, cost, and one on
   its images in the store, as far as there are any; INDENT in front of
   each.  */
extern void report_cost (FILE *stream, const char *indent,
                         const struct cost *cost);

/* Likewise of several processes.  */
extern void report_total (FILE *stream, const struct cost *sum);

/* The heading of a table of processes, or of what has some, and a line of it;
   PID and NAME stand in its first and last column.  Within the columns of a
   terminal.  */
extern void report_process_heading (FILE *stream, const char *pid,
                                    const char *name);
extern void report_process (FILE *stream, const char *pid, const char *name,
                            const struct text_sums *sums);

#endif
