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

/* Return the sums over the OBJECTS whose text the loader can make huge: all
   except loaders and hugetext-code.so.  */
extern struct text_sums report_able_sums (const struct object_list *objects);

/* Return true if more than a few per cent of the used text in SUMS are on
   small pages, so that the command should tell the user the reason.  */
extern bool report_is_low (const struct text_sums *sums);

/* Return the words "why text is on small pages", with which the lines about
   reasons begin in the output of all verbs.  */
extern const char *report_why_small (void);

/* Return the letter for BLOCK in JSON.  */
extern char report_letter (const struct text_block *block);

/* Print a line for each of OBJECTS that has text, and a line with the sums
   over all OBJECTS.  */
extern void report_objects (FILE *stream, const struct object_list *objects);

/* OBSERVER is a kind of tools.  observer_key returns the JSON key for the kind
   OBSERVER, and observer_reason returns the reason why tools of the kind
   OBSERVER do not find an object.  */
extern const char *observer_key (enum observer observer);
extern enum hugetext_reason observer_reason (enum observer observer);

/* Return true if tools of the kind OBSERVER are usual, which means that they
   are used with all kinds of programs.  */
extern bool report_is_usual (enum observer observer);

/* The objects that tools of one kind (debuggers, profilers...) do not
   find.  */
struct unseen
{
  size_t count;
  char first[256];          /* The base name of the object with the most
                               text.  */
  char remedy[REASON_SIZE]; /* The remedy that makes tools of this kind find
                               the objects.  The remedy is valid if COUNT is
                               not 0.  */
};

/* UNSEEN has an element for each kind of tools (debuggers, profilers...).  For
   each kind of tool, count those of OBJECTS that tools of this kind do not
   find.  OBJECTS are the objects of the process that ABOUT describes.  */
extern void report_count_unseen (const struct object_list *objects,
                                 const struct reason_about *about,
                                 struct unseen unseen[static OBSERVERS]);

/* Update UNSEEN like report_count_unseen, but change an element only if its
   new count of objects is larger than the old count.  */
extern void report_add_unseen (const struct object_list *objects,
                               const struct reason_about *about,
                               struct unseen unseen[static OBSERVERS]);

/* If most text in SUMS has not been used yet, print how much of all text is
   huge, because the tables show only the share of the used text.  */
extern void report_say_unused (FILE *stream, const struct text_sums *sums);

/* UNSEEN contains the objects that each kind of tools does not find.  For each
   usual kind of tools (observers.def), print a sentence about the objects that
   it does not find, and the remedy.  The first line begins with INDENT;
   further lines are indented by HANG columns more.  */
extern void report_unseen (FILE *stream, unsigned int hang, const char *indent,
                           const struct unseen unseen[static OBSERVERS]);

/* Print the COST of the process that ABOUT describes, and what would lower the
   cost.  The process has OBJECTS.  If COST is zero, print nothing.  */
extern void report_cost (FILE *stream, const struct cost *cost,
                         const struct object_list *objects,
                         const struct reason_about *about);

/* A function that returns true if report_files should include OBJECT.
   CLOSURE is the argument of report_files.  */
typedef bool report_wants (const struct object_text *object,
                           const void *closure);

/* The maximum number of files for which remedies are checked.  */
#define REPORT_FILES 16

/* Set FILES to the files of the OBJECTS for which WANTS returns true, or of
   all OBJECTS if WANTS is NULL.  Set the member FILES of ABOUT to the array
   FILES.  */
extern void report_files (const struct object_list *objects,
                          report_wants *wants, const void *closure,
                          struct reason_file files[static REPORT_FILES],
                          struct reason_about *about);

/* Print the part of COST that is due to images, unless the part is zero.  The
   parameter OF is inserted after the word "images"; OF is "", or names what
   the images contain or which processes use the images.  */
extern void report_images (FILE *stream, const char *of,
                           const struct cost *cost);

/* Print a line of a table: the heading (report_heading) or a row (report_row).
   FIRST, which may be NULL, is printed in the first column, and NAME in the
   last column.  No line is longer than the width of the terminal.  */
extern void report_heading (FILE *stream, const char *first, const char *name);
extern void report_row (FILE *stream, const char *first, const char *name,
                        const struct text_sums *sums);

/* Print a line with the reason TEXT and, unless REMEDY is "", the remedy
   REMEDY.  Further lines are indented by HANG columns.  */
extern void report_reason (FILE *stream, unsigned int hang, const char *text,
                           const char *remedy);

#endif
