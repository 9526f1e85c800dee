/* Eligible programs: those of a service, or a named one, that can gain from
   huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/looker.h"
#include "host/procmaps.h"
#include "object/dependencies.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "service/parts.h"
#include "text/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the bytes of text in the program PATH and the libraries that it
   needs.  */
static size_t
program_text (const char *path)
{
  struct file_list files = { 0 };
  size_t sum = 0;
  file_list_add (&files, path);
  file_list_dependencies (&files, readable_open);
  for (size_t i = 0; i < files.count; ++i)
    sum += elfobject_file_text (files.names[i]);
  file_list_free (&files);
  return sum;
}

static void
add_new (struct file_list *files, const char *name)
{
  if (!file_list_has (files, name))
    file_list_add (files, name);
}

/* Whether EXE is the file of a process that systemd has forked, and that has
   not yet executed its program: systemd itself, or its helper since 255.  */
static bool
is_starting (const char *exe)
{
  const char *name = strrchr (exe, '/');
  return ((name != NULL && strcmp (name, "/systemd-executor") == 0)
          || same_path (exe, "/proc/1/exe"));
}

/* The file of a process, EXE, and whether the process is started from it.  */
struct program_file
{
  char exe[PATH_MAX];
  bool started;
};

/* Look at the program of CLOSURE in the looker: it may lie on any file
   system.  */
static void
look (void *closure)
{
  struct program_file *program = closure;
  program->started
      = !is_starting (program->exe) && access (program->exe, X_OK) == 0;
}

/* Add the programs of UNIT's processes.  */
static void
add_running (const struct unit *unit, struct file_list *programs)
{
  pid_t *list;
  size_t n = unit_processes (unit, &list);
  for (size_t i = 0; i < n; ++i)
    {
      struct inspection found;
      struct program_file program = { .started = false };
      if (inspect (list[i], false, &found) != NULL)
        continue;
      strcpy (program.exe, found.exe);
      /* A replaced file: the new one will be started.  */
      process_cut_deleted (program.exe);
      if (!found.elsewhere
          && report_sums (&found.objects).text >= procmaps_block ()
          && looker_ask (list[i], look, NULL, &program, sizeof program) == NULL
          && program.started && entry_can_name (program.exe))
        add_new (programs, program.exe);
      inspect_free (&found);
    }
  free (list);
}

bool
eligible_add (const char *file, struct file_list *programs,
              struct problem *problem)
{
  struct program program;
  char path[PATH_MAX];
  const char *wrong = NULL;
  if (realpath (file, path) == NULL || !program_read (file, &program))
    wrong = strerror (errno);
  else if (program.script[0] != '\0')
    wrong = "it is a script: name the program that runs in the end";
  else if (program.kind == PROGRAM_OTHER)
    wrong = "it is no program of this kind of machine";
  else if (program.kind == PROGRAM_STATIC)
    wrong = "it is statically linked: hugetext run can start it, hugetext"
            " prime have its file in huge pages";
  else if (program.secure)
    wrong = "it gets rights of its own when it is executed (AT_SECURE): the"
            " loader reads no settings then";
  else if (!entry_can_name (path))
    wrong = "its path has characters that patterns are made of";
  else
    add_new (programs, path);
  return problem_take (problem, wrong);
}

bool
eligible_of_unit (const struct unit *unit, struct file_list *programs,
                  struct problem *problem)
{
  struct problem wrong = { "it names none" };
  add_running (unit, programs);
  if (unit->command[0] != '\0')
    {
      struct file_list started = { 0 };
      bool known = eligible_add (unit->command, &started, &wrong);
      if (known && program_text (started.names[0]) >= procmaps_block ())
        add_new (programs, started.names[0]);
      else if (known)
        problem_set (&wrong, "it has less text than a huge page, libraries"
                             " included: nothing to gain");
      file_list_free (&started);
    }
  if (programs->count > 0)
    return true;
  if (unit->parts != NULL && unit->parts[0] != '\0')
    return problem_set (problem,
                        "it runs no such program itself: enable what is part"
                        " of it, %s",
                        unit->parts);
  return problem_set (problem,
                      "no program of it is known that would gain (%s%s%s):"
                      " start it, or name one, --program=PATH",
                      unit->command, unit->command[0] != '\0' ? ": " : "",
                      wrong.text);
}
