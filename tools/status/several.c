/* "hugetext status" for several processes: a table with a line for each
   process, and a table with a line for each object of any of these processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The processes of a service mostly have the same program, settings and
   objects.  So facts that are the same for several processes are printed
   once.  */

#include "status/parts.h"
#include "host/selection.h"
#include "util/allocate.h"
#include "util/terminal.h"
#include "util/count.h"

#include <stdlib.h>
#include <string.h>

/* Processes with the same program, loader and settings.  */
struct group
{
  char *words; /* The program and the loader (inspect_words).  */
  char *facts; /* The lines of status_print_facts.  */
  struct process_ids processes; /* The processes of the group.  */
};

/* An object of at least one process.  */
struct shared_object
{
  char *name;
  dev_t device;
  ino_t inode;
  size_t processes;      /* The number of processes that have the object.  */
  struct text_sums sums; /* The sums for the object over all processes that
                            have it.  */
};

struct several
{
  struct status_line *lines;
  size_t nlines;
  struct group *groups;
  size_t ngroups;
  struct shared_object *objects;
  size_t nobjects;
  struct shared_object made; /* Code made at run time.  */
  size_t full;               /* The number of processes that have used up their
                                cap.  */
  size_t beyond; /* The largest number of blocks in a process that the cap has
                    left on small pages.  */
  char cap[INSPECT_CAP_WORDS];     /* The sentence about the cap of the process
                                      with the most blocks beyond its cap.  */
  struct unseen unseen[OBSERVERS]; /* For each kind of tools (debuggers,
                                      profilers...), the objects that these
                                      tools do not find.  The objects are all
                                      from one process: the process with the
                                      most objects that these tools do not
                                      find.  */
};

/* Add the process PID, which has WORDS and FACTS, to its group in ALL.  FACTS
   then belong to ALL.  */
static void
add_to_group (struct several *all, pid_t pid, const char *words, char *facts)
{
  size_t i = 0;
  while (i < all->ngroups
         && (strcmp (all->groups[i].words, words) != 0
             || strcmp (all->groups[i].facts, facts) != 0))
    ++i;
  struct group *group = &all->groups[i];
  if (i == all->ngroups)
    {
      *group
          = (struct group){ .words = allocate_text (words), .facts = facts };
      ++all->ngroups;
    }
  else
    free (facts);
  process_ids_add (&group->processes, pid);
}

/* Add the facts about FOUND's process to ALL.  */
static void
add_facts (struct several *all, const struct inspection *found)
{
  char words[INSPECT_WORDS], *facts = NULL;
  size_t size;
  FILE *stream = open_memstream (&facts, &size);
  if (stream == NULL)
    return;
  status_print_facts (stream, "each of these processes", found);
  fclose (stream);
  add_to_group (all, found->process.pid, inspect_words (found, words), facts);
}

/* Add OBJECT of a process to the objects of ALL.  */
static void
add_object (struct several *all, const struct object_text *object)
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
          = (struct shared_object){ .name = allocate_text (object->name),
                                    .device = object->device,
                                    .inode = object->inode };
    }
  ++all->objects[i].processes;
  report_add (&all->objects[i].sums, &object->sums);
}

/* Add FOUND to ALL.  */
static void
add (struct several *all, const struct inspection *found)
{
  const struct reason_about about = inspect_about (found, &found->settings);
  const struct object_list *objects = &found->objects;
  all->lines[all->nlines++] = status_line (found);
  add_facts (all, found);
  for (size_t i = 0; i < objects->count; ++i)
    add_object (all, &objects->list[i]);
  all->made.processes += objects->made.sums.text > 0;
  report_add (&all->made.sums, &objects->made.sums);
  if (objects->made.sums.text > 0 && all->made.name == NULL)
    all->made.name = allocate_text (objects->made.name);
  if (found->cap_reason != HUGETEXT_NONE)
    {
      ++all->full;
      if (found->beyond_cap > all->beyond)
        {
          all->beyond = found->beyond_cap;
          inspect_describe_cap (found, &about, all->cap);
        }
    }
  report_add_unseen (objects, &about, all->unseen);
}

static int
by_text (const void *a, const void *b)
{
  const struct shared_object *x = a, *y = b;
  if (x->sums.text != y->sums.text)
    return x->sums.text < y->sums.text ? 1 : -1;
  return strcmp (x->name, y->name);
}

/* Print the row of OBJECT.  If some of the COUNT processes do not have OBJECT,
   print how many processes have it.  */
static void
print_object (const struct shared_object *object, size_t count)
{
  char *name = NULL;
  if (object->processes < count
      && asprintf (&name, "%s (in %zu)", object->name, object->processes) < 0)
    name = NULL;
  report_row (stdout, NULL, name != NULL ? name : object->name, &object->sums);
  free (name);
}

/* Print ALL.  */
static void
print (struct several *all)
{
  struct text_sums sums = { 0 };
  char heading[48];
  for (size_t i = 0; i < all->ngroups; ++i)
    {
      const struct group *group = &all->groups[i];
      const bool named = all->ngroups > 1;
      const struct process_ids *ids = &group->processes;
      terminal_say (stdout, 4, COUNT_FORMAT "%s%s%s: %s",
                    COUNT_PLURAL (ids->count, "process", "processes"),
                    named ? " (" : "", named ? ids->text : "",
                    named ? ")" : "", group->words);
      output_lines (stdout, group->facts);
    }
  status_sort_lines (all->lines, all->nlines);
  status_print_lines (all->lines, all->nlines);
  for (size_t i = 0; i < all->nlines; ++i)
    report_add (&sums, &all->lines[i].sums);
  report_row (stdout, "all", "", &sums);
  putchar ('\n');
  snprintf (heading, sizeof heading, "object, " COUNT_FORMAT,
            COUNT_PLURAL (all->nlines, "process", "processes"));
  report_heading (stdout, NULL, all->nlines > 1 ? heading : "object");
  if (all->nobjects > 0)
    qsort (all->objects, all->nobjects, sizeof *all->objects, by_text);
  for (size_t i = 0; i < all->nobjects; ++i)
    print_object (&all->objects[i], all->nlines);
  if (all->made.processes > 0)
    print_object (&all->made, all->nlines);
  report_say_unused (stdout, &sums);
  if (all->full > 0)
    terminal_say (stdout, 4, COUNT_FORMAT ": %s",
                  COUNT_PLURAL (all->full, "process", "processes"), all->cap);
  report_unseen (stdout, 4, "", all->unseen);
}

bool
status_several (struct status *status, const pid_t *list, size_t count,
                const char *name)
{
  struct several all = { .lines = allocate (count * sizeof *all.lines),
                         .groups = allocate (count * sizeof *all.groups) };
  bool good = true;
  for (size_t i = 0; i < count; ++i)
    {
      struct inspection found;
      if (!inspect (list[i], INSPECT_COST, &found))
        {
          const char *known = found.process.name;
          if (selected_has_gone (list, count, i))
            continue;
          answer_problem (&status->answer, &found.process,
                          known[0] != '\0' ? known : name, found.problem.text);
          good = false;
          continue;
        }
      status_count (status, &found);
      if (!status->json)
        add (&all, &found);
      inspect_free (&found);
    }
  if (all.nlines > 0)
    {
      if (status->printed)
        putchar ('\n');
      print (&all);
      status->printed = true;
    }
  for (size_t i = 0; i < all.ngroups; ++i)
    {
      free (all.groups[i].words);
      free (all.groups[i].facts);
    }
  for (size_t i = 0; i < all.nobjects; ++i)
    free (all.objects[i].name);
  free (all.made.name);
  free (all.groups);
  free (all.objects);
  free (all.lines);
  return good;
}
