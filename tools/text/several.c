/* Tables of several processes: a table with a line for each process, and a
   table with a line for each object of any of these processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/several.h"
#include "text/report.h"
#include "util/allocate.h"
#include "util/count.h"
#include "util/terminal.h"

#include <stdlib.h>
#include <string.h>

/* Processes with the same program, loader and facts.  */
struct several_group
{
  char *words; /* The path of the program, and what the loader is (the result
                  of inspect_words).  */
  char *facts;
  struct process_ids processes; /* The processes of the group.  */
};

/* An object of at least one process.  */
struct several_object
{
  char *name;
  dev_t device;
  ino_t inode;
  size_t processes;      /* The number of processes that have the object.  */
  struct text_sums sums; /* The sums for the object over all processes that
                            have it.  */
};

/* A problem that at least one inspected process has.  */
struct several_problem
{
  char *name;  /* The name of the first process.  */
  char *words; /* The text of the problem.  */
  struct process_ids processes;
};

struct several_line
several_line (const struct inspection *found)
{
  return (struct several_line){ .process = found->process,
                                .sums = report_sums (&found->objects) };
}

static int
text_several_compare_small (const void *a, const void *b)
{
  const struct several_line *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return x->process.pid < y->process.pid ? -1 : 1;
}

void
several_sort_lines (struct several_line *lines, size_t count)
{
  if (count > 0)
    qsort (lines, count, sizeof *lines, text_several_compare_small);
}

void
several_print_lines (const struct several_line *lines, size_t count)
{
  char number[24];
  report_heading (stdout, "PID", "name");
  for (size_t i = 0; i < count; ++i)
    {
      snprintf (number, sizeof number, "%d", (int) lines[i].process.pid);
      report_row (stdout, number, lines[i].process.name, &lines[i].sums);
    }
}

/* Add the process PID, which has WORDS and FACTS, to its group in ALL.  The
   function passes the memory of FACTS to ALL, which frees it later.  */
static void
add_to_group (struct several *all, pid_t pid, const char *words, char *facts)
{
  size_t i = 0;
  while (i < all->ngroups
         && (strcmp (all->groups[i].words, words) != 0
             || strcmp (all->groups[i].facts, facts) != 0))
    ++i;
  if (i == all->ngroups)
    {
      all->groups
          = allocate_more (all->groups, all->ngroups, sizeof *all->groups);
      all->groups[all->ngroups++]
          = (struct several_group){ .words = allocate_text (words),
                                    .facts = facts };
    }
  else
    free (facts);
  process_ids_add (&all->groups[i].processes, pid);
}

/* Add OBJECT of a process to the objects of ALL.  */
static void
text_several_add_object (struct several *all, const struct object_text *object)
{
  size_t i = 0;
  while (i < all->nobjects
         && (all->objects[i].device != object->device
             || all->objects[i].inode != object->inode
             || strcmp (all->objects[i].name, object->name) != 0))
    ++i;
  if (i == all->nobjects)
    {
      all->objects
          = allocate_more (all->objects, all->nobjects, sizeof *all->objects);
      all->objects[all->nobjects++]
          = (struct several_object){ .name = allocate_text (object->name),
                                     .device = object->device,
                                     .inode = object->inode };
    }
  ++all->objects[i].processes;
  report_add (&all->objects[i].sums, &object->sums);
}

/* Add MADE, a process's code made at run time, to ALL.  */
static void
add_made (struct several *all, const struct object_text *made)
{
  if (made->sums.text == 0)
    return;
  if (all->made == NULL)
    {
      all->made = allocate (sizeof *all->made);
      *all->made
          = (struct several_object){ .name = allocate_text (made->name) };
    }
  ++all->made->processes;
  report_add (&all->made->sums, &made->sums);
}

void
several_add (struct several *all, const struct inspection *found, char *facts)
{
  char words[INSPECT_WORDS];
  const struct object_list *objects = &found->objects;
  all->lines = allocate_more (all->lines, all->nlines, sizeof *all->lines);
  all->lines[all->nlines++] = several_line (found);
  add_to_group (all, found->process.pid, inspect_words (found, words), facts);
  for (size_t i = 0; i < objects->count; ++i)
    text_several_add_object (all, &objects->list[i]);
  add_made (all, &objects->made);
}

void
several_print_groups (const struct several *all)
{
  const bool named = all->ngroups > 1;
  for (size_t i = 0; i < all->ngroups; ++i)
    {
      const struct several_group *group = &all->groups[i];
      const struct process_ids *ids = &group->processes;
      terminal_say (stdout, 4, COUNT_FORMAT "%s%s%s: %s",
                    COUNT_PLURAL (ids->count, "process", "processes"),
                    named ? " (" : "", named ? ids->text : "",
                    named ? ")" : "", group->words);
      output_lines (stdout, group->facts);
    }
}

static int
text_several_compare_text (const void *a, const void *b)
{
  const struct several_object *x = a, *y = b;
  if (x->sums.text != y->sums.text)
    return x->sums.text < y->sums.text ? 1 : -1;
  return strcmp (x->name, y->name);
}

/* Print the row of OBJECT.  If some of the COUNT processes do not have OBJECT,
   print how many processes have it.  */
static void
text_several_print_object (const struct several_object *object, size_t count)
{
  char *name = NULL;
  if (object->processes < count
      && asprintf (&name, "%s (in %zu)", object->name, object->processes) < 0)
    name = NULL;
  report_row (stdout, NULL, name != NULL ? name : object->name, &object->sums);
  free (name);
}

void
several_print_tables (struct several *all)
{
  struct text_sums sums = { 0 };
  char heading[48];
  several_sort_lines (all->lines, all->nlines);
  several_print_lines (all->lines, all->nlines);
  for (size_t i = 0; i < all->nlines; ++i)
    report_add (&sums, &all->lines[i].sums);
  report_row (stdout, "all", "", &sums);
  putchar ('\n');
  snprintf (heading, sizeof heading, "object, " COUNT_FORMAT,
            COUNT_PLURAL (all->nlines, "process", "processes"));
  report_heading (stdout, NULL, all->nlines > 1 ? heading : "object");
  if (all->nobjects > 0)
    qsort (all->objects, all->nobjects, sizeof *all->objects,
           text_several_compare_text);
  for (size_t i = 0; i < all->nobjects; ++i)
    text_several_print_object (&all->objects[i], all->nlines);
  if (all->made != NULL)
    text_several_print_object (all->made, all->nlines);
  report_say_unused (stdout, &sums);
}

void
several_add_problem (struct several *all, struct answer *answer,
                     const struct process *process, const char *name,
                     const char *words)
{
  size_t i = 0;
  answer_note (answer, process, name, words);
  while (i < all->nproblems && strcmp (all->problems[i].words, words) != 0)
    ++i;
  if (i == all->nproblems)
    {
      all->problems = allocate_more (all->problems, all->nproblems,
                                     sizeof *all->problems);
      all->problems[all->nproblems++]
          = (struct several_problem){ .name = allocate_text (name),
                                      .words = allocate_text (words) };
    }
  process_ids_add (&all->problems[i].processes, process->pid);
}

void
several_print_problems (const struct several *all, const struct answer *answer)
{
  if (all->nproblems > 0)
    output_flush ();
  for (size_t i = 0; i < all->nproblems; ++i)
    {
      const struct several_problem *one = &all->problems[i];
      const struct process_ids *ids = &one->processes;
      char words[PROCESS_IDS_WORDS];
      if (ids->count == 1)
        fprintf (stderr, "hugetext %s: %s (%s): %s\n", answer->verb, ids->text,
                 one->name, one->words);
      else
        fprintf (stderr, "hugetext %s: %s: %s\n", answer->verb,
                 process_ids_each (ids, words), one->words);
    }
}

void
several_free (struct several *all)
{
  for (size_t i = 0; i < all->nproblems; ++i)
    {
      free (all->problems[i].name);
      free (all->problems[i].words);
    }
  free (all->problems);
  for (size_t i = 0; i < all->ngroups; ++i)
    {
      free (all->groups[i].words);
      free (all->groups[i].facts);
    }
  for (size_t i = 0; i < all->nobjects; ++i)
    free (all->objects[i].name);
  if (all->made != NULL)
    free (all->made->name);
  free (all->made);
  free (all->groups);
  free (all->objects);
  free (all->lines);
}
