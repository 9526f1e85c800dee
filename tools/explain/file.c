/* "hugetext explain FILE": show which blocks the loader makes huge in a dry
   run of FILE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "explain/files.h"
#include "explain/reason.h"
#include "explain/rehearsal.h"
#include "index/file.h"
#include "object/attachable.h"
#include "text/objtext.h"
#include "util/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FROM is an object in a dry run, and TO is the same object as a file.  Move
   FROM's blocks to TO, and convert their addresses to link-time addresses.  */
static void
take_over (struct explained_object *to, struct explained_object *from)
{
  to->blocks = from->blocks;
  to->nblocks = from->nblocks;
  from->blocks = NULL;
  to->left = from->left;
  strcpy (to->place, from->place);
  to->problem = from->problem;
  memcpy (to->unseen, from->unseen, sizeof to->unseen);
  for (size_t i = 0; i < to->nblocks; ++i)
    to->blocks[i].address -= from->bias;
}

/* Set the explanation of OBJECT to what the dry run START has found out.
   NAME is the path of the object's file.  Return false if the dry run has not
   mapped the object.  */
static bool
explain_file_take_object (struct explained_object *object, const char *name,
                          struct explanation *start)
{
  unsigned int used = 0;
  size_t k = 0;
  /* Compare the names as text, because both are paths with symbolic links
     resolved, and the command does not access untrusted paths.  */
  while (k < start->count && strcmp (start->list[k].name, name) != 0)
    ++k;
  if (k == start->count)
    return false;
  take_over (object, &start->list[k]);
  for (size_t b = 0; b < object->nblocks; ++b)
    used |= object->blocks[b].backing;
  if (used == 0 && !problem_is (&object->problem))
    object->problem = start->problem;
  return true;
}

/* Make a dry run with FILES, and set START to the explanation of this start.
   If LIBRARY is true, the first file is a library, otherwise it is a program.
   Return false, with PROBLEM set, if the dry run is not possible.  */
static bool
explain_rehearsal (const struct file_list *files, bool library,
                   const char *loader, const struct settings *settings,
                   struct explanation *start, struct problem *problem)
{
  struct rehearsal rehearsal;
  struct problem why;
  char root[PATH_MAX];
  *start = (struct explanation){ .source = EXPLAINED_PROCESS };
  if (!rehearsal_start (&rehearsal, files, library, loader, settings, problem))
    return false;
  rehearsal_root (&rehearsal, root);
  const bool good = explain_process (rehearsal.pid, root, start, &why);
  rehearsal_end (&rehearsal);
  return (good
          || problem_unknown (problem, "the dry run cannot be inspected: %s",
                              why.text));
}

/* Set the explanations of the files in TO to what START, a dry run of FILES,
   has found out.  If an earlier dry run, which included files that the program
   opens only while it runs, has failed, FAILED is the reason; if no earlier
   dry run has failed, FAILED is empty.  */
static void
take_objects (const struct file_list *files, const struct problem *failed,
              struct explanation *start, struct explanation *to)
{
  for (size_t i = 0; i < to->count; ++i)
    {
      struct problem *problem = &to->list[i].problem;
      if (problem_is (problem)
          || explain_file_take_object (&to->list[i], files->names[i], start))
        continue;
      if (to->list[i].late && problem_is (failed))
        *problem = *failed;
      else
        problem_unknown (problem,
                         "the dry run mapped no object under this path; "
                         "try: hugetext explain PID");
    }
}

/* Make a dry run with FILES, and store the explanations of the files in TO.
   FILES may include files that the program opens only while it runs.  If the
   dry run with these files fails, make a second dry run without them.  LIBRARY
   is true if the first of FILES is a library.  */
static void
explain_file_run_dry (const struct file_list *files, bool library,
                      const char *loader, struct explanation *to)
{
  const struct file_list others
      = { files->names, files->count - files->late, 0 };
  struct explanation start;
  struct problem failed = { 0 }, problem;
  bool good = explain_rehearsal (files, library, loader, &to->settings, &start,
                                 &problem);
  if (!good && files->late > 0)
    {
      explain_free (&start);
      failed = problem;
      good = explain_rehearsal (&others, library, loader, &to->settings,
                                &start, &problem);
    }
  if (good)
    take_objects (files, &failed, &start, to);
  for (size_t i = 0; i < to->count && !good; ++i)
    if (!problem_is (&to->list[i].problem))
      to->list[i].problem = problem;
  explain_free (&start);
}

/* Add the COUNT files of FACTS to the objects of TO, and their paths to
   FILES.  */
static void
take_facts (const struct file_facts *facts, size_t count,
            struct explanation *to, struct file_list *files)
{
  to->list = allocate (count * sizeof *to->list);
  to->count = count;
  for (size_t i = 0; i < count; ++i)
    {
      struct explained_object *object = &to->list[i];
      object->name = allocate_text (facts[i].name);
      object->path = allocate_text (facts[i].real);
      object->late = facts[i].late;
      object->needed = facts[i].needed;
      object->text = facts[i].text;
      object->unreadable = facts[i].unreadable;
      strcpy (object->kind, facts[i].kind);
      object->problem = facts[i].problem;
      if (!problem_is (&object->problem) && facts[i].real[0] != '/')
        problem_unknown (&object->problem,
                         "a directory or symbolic link in the path of the "
                         "file cannot be opened");
      file_list_add (files, facts[i].real);
      files->late += facts[i].late;
    }
}

/* TO is about a static program, which has no loader.  Write to the member
   PLACE of its object whether "hugetext run" can put its text on huge
   pages.  */
static void
describe_static (struct explanation *to)
{
  struct problem problem;
  char words[sizeof problem.text + 64]
      = "no part of its text can be on huge pages";
  if (to->gains_alone && attachable_at_start (&problem))
    strcpy (words, "hugetext run can put its text on huge pages");
  else if (to->gains_alone)
    snprintf (words, sizeof words,
              "hugetext run cannot put its text on huge pages, because %s",
              problem.text);
  snprintf (to->list[0].place, sizeof to->list[0].place,
            "the program is statically linked, so it has no loader; %.220s",
            words);
}

bool
explain_file (const char *word, enum explained_word kind, bool dependencies,
              const char *loader, const struct settings *settings,
              struct explanation *to, struct problem *problem)
{
  struct file_list files = { 0 };
  struct file_facts *facts;
  size_t count;
  *to = (struct explanation){ .source = EXPLAINED_FILE,
                              .settings = *settings,
                              .about = reason_about (NULL, where_own ()) };
  const bool good
      = files_read (word, kind, dependencies, &facts, &count, to, problem);
  if (!good || to->source == EXPLAINED_CORE)
    {
      free (facts);
      return good;
    }
  take_facts (facts, count, to, &files);
  if (problem_is (&to->list[0].problem))
    {
      for (size_t i = 1; i < to->count; ++i)
        if (!problem_is (&to->list[i].problem))
          to->list[i].problem = to->list[0].problem;
    }
  else if (facts[0].statically_linked)
    {
      to->gains_alone = facts[0].gains_alone;
      describe_static (to);
    }
  else
    {
      if (facts[0].program)
        advice_add_real (&to->settings, facts[0].real);
      explain_file_run_dry (&files, !facts[0].program, loader, to);
    }
  file_list_free (&files);
  free (facts);
  return true;
}
