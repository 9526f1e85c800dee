/* "hugetext explain FILE": the blocks that the loader makes in a rehearsal.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "explain/rehearsal.h"
#include "index/file.h"
#include "object/dependencies.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "text/objtext.h"
#include "util/allocate.h"
#include "util/regular.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Describe the file NAME in TO, and its ELF headers in ELF.  */
static void
read_file (const char *name, struct explained_object *to,
           struct elf_object *elf)
{
  const char *problem;
  to->name = allocate_text (name);
  int fd = regular_open (name);
  if (fd < 0)
    problem = errno == EINVAL ? "it is not a regular file" : strerror (errno);
  else
    problem = elfobject_read (fd, elf);
  to->unreadable = problem != NULL;
  if (problem == NULL)
    problem = elfobject_problem (elf);
  if (problem == NULL && loader_is_loader (name, fd))
    problem = "it is a loader: its code runs while it maps the others";
  if (problem != NULL)
    snprintf (to->problem, sizeof to->problem, "%s", problem);
  else
    snprintf (to->kind, sizeof to->kind, "%s with %zu KiB of text",
              elf->statically_linked ? "static program"
              : elf->program         ? "program"
                                     : "library",
              hugetext_object_text (&elf->object) / 1024);
  if (fd >= 0)
    close (fd);
}

/* Give TO, a file, the blocks of FROM, the same object in a rehearsal, with
   their addresses in the file.  */
static void
take_over (struct explained_object *to, struct explained_object *from)
{
  to->blocks = from->blocks;
  to->nblocks = from->nblocks;
  from->blocks = NULL;
  to->left = from->left;
  strcpy (to->place, from->place);
  strcpy (to->problem, from->problem);
  for (size_t i = 0; i < to->nblocks; ++i)
    {
      struct explained_block *block = &to->blocks[i];
      block->address -= from->bias;
      if (block->backing != BACKING_FILE || block->made)
        continue;
      block->verdict = "by-kernel";
      strcpy (block->reason,
              "the file's own, which the kernel uses by itself");
    }
}

/* Rehearse a start of FILES, of which the first is a LIBRARY or a program, and
   explain them in TO.  Return false, with PROBLEM set, if that is not
   possible.  */
static bool
rehearse (const struct file_list *files, bool library, const char *loader,
          struct explanation *to, struct problem *problem)
{
  struct rehearsal rehearsal;
  struct explanation start;
  if (!rehearsal_start (&rehearsal, files, library, loader, &to->settings,
                        problem))
    return false;
  const char *why = explain_process (rehearsal.pid, &start);
  rehearsal_end (&rehearsal);
  for (size_t i = 0; why == NULL && i < to->count; ++i)
    {
      struct explained_object *object = &to->list[i];
      unsigned int used = 0;
      size_t k = 0;
      if (object->problem[0] != '\0')
        continue;
      while (k < start.count && !same_path (start.list[k].name, object->name))
        ++k;
      if (k < start.count)
        take_over (object, &start.list[k]);
      else
        strcpy (object->problem, "unknown: its rehearsal did not map it");
      for (size_t b = 0; b < object->nblocks; ++b)
        used |= object->blocks[b].backing;
      if (used == 0 && object->problem[0] == '\0')
        snprintf (object->problem, sizeof object->problem, "%.350s",
                  start.problem);
    }
  explain_free (&start);
  return (why == NULL
          || problem_set (problem,
                          "unknown: its rehearsal cannot be looked"
                          " at: %s",
                          why));
}

void
explain_file (const char *name, bool dependencies, const char *loader,
              const struct settings *settings, struct explanation *to)
{
  struct file_list files = { 0 };
  struct elf_object first = { 0 }, other;
  struct problem problem = { "" };
  *to = (struct explanation){ .source = EXPLAINED_FILE,
                              .settings = *settings };
  file_list_add (&files, name);
  if (dependencies)
    file_list_dependencies (&files, readable_open);
  file_list_opened (&files);
  to->list = allocate (files.count * sizeof *to->list);
  for (; to->count < files.count; ++to->count)
    {
      struct explained_object *object = &to->list[to->count];
      read_file (files.names[to->count], object,
                 to->count == 0 ? &first : &other);
      object->late = to->count >= files.count - files.late;
    }
  if (to->list[0].problem[0] != '\0')
    problem_set (&problem, "%s", to->list[0].problem);
  else if (first.statically_linked)
    strcpy (to->list[0].place, "hugetext run sees to it, no loader does");
  else
    {
      if (first.program)
        advice_add (&to->settings, name);
      rehearse (&files, !first.program, loader, to, &problem);
    }
  for (size_t i = 0; i < to->count; ++i)
    if (problem.text[0] != '\0' && to->list[i].problem[0] == '\0')
      snprintf (to->list[i].problem, sizeof to->list[i].problem, "%.350s",
                problem.text);
  file_list_free (&files);
}
