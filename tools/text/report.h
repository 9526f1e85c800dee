/* Tables of the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REPORT_H
#define REPORT_H

#include "object/reason.h"
#include "text/columns.h"
#include "text/cost.h"
#include "text/objtext.h"

#include <stdio.h>

/* Add MORE to SUMS.  */
extern void report_add (struct text_sums *sums, const struct text_sums *more);

/* Return the sums over OBJECTS.  */
extern struct text_sums report_sums (const struct object_list *objects);

/* Whether the process with OBJECTS is too small to gain from huge pages
   (plan_is_small).  */
extern bool report_is_small (const struct object_list *objects);

/* Return the letter for BLOCK in JSON.  */
extern char report_letter (const struct text_block *block);

/* Print a line for each of OBJECTS that has text, and a line with their
   sum.  */
extern void report_objects (FILE *stream, const struct object_list *objects);

/* OBSERVER is a kind of tools.  Return the kind's key in JSON (observer_key),
   or the reason why tools of this kind do not find an object
   (observer_reason).  */
extern const char *observer_key (enum observer observer);
extern enum hugetext_reason observer_reason (enum observer observer);

/* The objects that one kind of tools does not find.  */
struct unseen
{
  size_t count;
  char first[256];          /* The base name of the object with most text.  */
  char remedy[REASON_SIZE]; /* What to do, if COUNT is not 0.  */
};

/* Count in UNSEEN, for each kind of tools, the OBJECTS that these tools do not
   find, in the process that ABOUT describes.  */
extern void report_count_unseen (const struct object_list *objects,
                                 const struct reason_about *about,
                                 struct unseen unseen[static OBSERVERS]);

/* The same, but replace those counts in UNSEEN that are smaller.  */
extern void report_add_unseen (const struct object_list *objects,
                               const struct reason_about *about,
                               struct unseen unseen[static OBSERVERS]);

/* If most text in SUMS has not been used yet, print how much of all text is
   huge.  The tables themselves show only the share of the used text.  */
extern void report_say_unused (FILE *stream, const struct text_sums *sums);

/* For each kind of tools that does not find some objects, print a sentence
   from UNSEEN, and what to do.  The first line begins with INDENT; further
   lines are indented by HANG columns more.  */
extern void report_unseen (FILE *stream, unsigned int hang, const char *indent,
                           bool all,
                           const struct unseen unseen[static OBSERVERS]);

/* Print the COST of a process, if it is not zero.  */
extern void report_cost (FILE *stream, const struct cost *cost);

/* Print the COST of images, if it is not zero.  The line contains the text OF,
   which says which processes use the images.  */
extern void report_images (FILE *stream, const char *of,
                           const struct cost *cost);

/* Print a line of a table: the heading (report_heading) or a row (report_row).
   FIRST, which may be NULL, is in the first column, and NAME in the last
   column.  No line is longer than the width of the terminal.  */
extern void report_heading (FILE *stream, const char *first, const char *name);
extern void report_row (FILE *stream, const char *first, const char *name,
                        const struct text_sums *sums);

/* Print the line TEXT, which gives a reason, and what to change to remove the
   reason: REMEDY, unless it is "".  Further lines are indented by HANG
   columns.  */
extern void report_reason (FILE *stream, unsigned int hang, const char *text,
                           const char *remedy);

#endif
