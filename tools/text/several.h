/* Tables of several processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The processes of a service mostly have the same program, settings and
   objects, so facts that are the same for several processes are printed
   once.  */

#ifndef SEVERAL_H
#define SEVERAL_H

#include "text/inspect.h"
#include "text/json.h"

/* A line of a table of processes.  */
struct several_line
{
  struct process process;
  struct text_sums sums;
};

struct several_group;
struct several_object;
struct several_problem;

/* A summary of several processes.  GROUPS has one group for all processes that
   have the same program, the same loader and the same facts.  OBJECTS has the
   sums for each object over all processes.  A struct of zeros is a summary of
   no processes.  */
struct several
{
  struct several_line *lines;
  size_t nlines;
  struct several_group *groups;
  size_t ngroups;
  struct several_object *objects;
  size_t nobjects;
  struct several_object *made; /* The code made at run time in all processes,
                                  or NULL.  */
  struct several_problem *problems;
  size_t nproblems;
};

/* Return the line for FOUND's process.  */
extern struct several_line several_line (const struct inspection *found);

/* Sort the COUNT LINES by their text on small pages, most text first.  */
extern void several_sort_lines (struct several_line *lines, size_t count);

/* Print the heading and the COUNT LINES of a table of processes.  */
extern void several_print_lines (const struct several_line *lines,
                                 size_t count);

/* Add FOUND's process to ALL.  FACTS are lines about the process, in memory
   that belongs to ALL after the call.  */
extern void several_add (struct several *all, const struct inspection *found,
                         char *facts);

/* Print the groups of ALL: the number of processes, the program, the loader
   and the facts of each group.  */
extern void several_print_groups (const struct several *all);

/* Print the tables of ALL: one with a line for each process, and one with a
   line for each object of any process in ALL.  */
extern void several_print_tables (struct several *all);

/* Add to ALL, and to the JSON of ANSWER, that PROCESS has a problem with the
   text WORDS.  NAME is the name of PROCESS, or the word by which the user has
   selected it.  */
extern void several_add_problem (struct several *all, struct answer *answer,
                                 const struct process *process,
                                 const char *name, const char *words);

/* Print each problem of ALL once, on standard error, for the verb of
   ANSWER.  */
extern void several_print_problems (const struct several *all,
                                    const struct answer *answer);

extern void several_free (struct several *all);

#endif
