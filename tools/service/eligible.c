/* Eligible programs: those of a service, or a named one, that can gain from
   huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/procmaps.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "service/parts.h"
#include "store/prime.h"
#include "text/inspect.h"
#include "text/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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
  if (file_list_add (&files, path))
    file_list_dependencies (&files, readable_open);
  for (size_t i = 0; i < files.count; ++i)
    sum += elfobject_file_text (files.names[i]);
  file_list_free (&files);
  return sum;
}

static bool
is_listed (const struct file_list *files, const char *name)
{
  for (size_t i = 0; i < files->count; ++i)
    if (strcmp (files->names[i], name) == 0)
      return true;
  return false;
}

/* Whether EXE is the file of a process that systemd has forked, and that has
   not yet executed its program: systemd itself, or its helper since 255.  */
static bool
is_starting (const char *exe)
{
  static const char helper[] = "/systemd-executor";
  size_t length = strlen (exe), end = strlen (helper);
  return ((length > end && strcmp (exe + length - end, helper) == 0)
          || same_path (exe, "/proc/1/exe"));
}

/* Add the programs of UNIT's processes.  Set MOST to the largest text among
   them.  */
static void
add_running (const struct unit *unit, struct file_list *programs, size_t *most)
{
  pid_t *list;
  size_t n = unit_processes (unit, &list);
  for (size_t i = 0; i < n; ++i)
    {
      struct inspection found;
      if (inspect_is_elsewhere (list[i])
          || inspect (list[i], 0, &found) != NULL)
        continue;
      /* A replaced file: the new one will be started.  */
      process_cut_deleted (found.exe);
      if (is_starting (found.exe))
        {
          inspect_free (&found);
          continue;
        }
      size_t text = report_sums (&found.objects).text;
      *most = text > *most ? text : *most;
      if (text >= procmaps_block () && access (found.exe, X_OK) == 0
          && entry_can_name (found.exe) && !is_listed (programs, found.exe))
        file_list_add (programs, found.exe);
      inspect_free (&found);
    }
  free (list);
}

/* Whether priming the static program FILE would be of use.  */
static bool
is_primable (const char *file, struct problem *problem)
{
  struct primed primed;
  prime_file (file, true, &primed);
  return (!primed.useless
          || problem_set (problem,
                          "%s; no loader loads it, hugetext run can start it",
                          primed.problem));
}

bool
eligible_check (const char *file, struct program *program,
                char path[static PATH_MAX], struct problem *problem)
{
  const char *wrong = NULL;
  if (realpath (file, path) == NULL || !program_read (file, program))
    wrong = strerror (errno);
  else if (program->script[0] != '\0')
    wrong = "it is a script: name the program that runs in the end";
  else if (program->kind == PROGRAM_OTHER)
    wrong = "it is no program of this kind of machine";
  else if (program->secure)
    wrong = "it gets rights of its own when it is executed (AT_SECURE): the"
            " loader reads no settings then";
  else if (!entry_can_name (path))
    wrong = "its path has characters that patterns are made of";
  return (problem_take (problem, wrong)
          && (program->kind != PROGRAM_STATIC || is_primable (path, problem)));
}

bool
eligible_of_unit (const struct unit *unit, struct file_list *programs,
                  struct problem *problem)
{
  char path[PATH_MAX];
  struct program program;
  struct problem wrong = { "it names none" };
  size_t most = 0;
  add_running (unit, programs, &most);
  bool known = unit->command[0] != '\0'
               && eligible_check (unit->command, &program, path, &wrong);
  if (known && !is_listed (programs, path))
    {
      size_t size = program_text (path);
      if (size >= procmaps_block ())
        file_list_add (programs, path);
      most = size > most ? size : most;
    }
  if (programs->count > 0)
    return true;
  if (unit->parts != NULL && unit->parts[0] != '\0')
    return problem_set (problem,
                        "it runs no such program itself: enable what is part"
                        " of it, %s",
                        unit->parts);
  if (!known && most == 0)
    return problem_set (
        problem,
        "it is not running, and its program cannot be told (%s%s%s):"
        " --restart starts it and looks, --program=PATH names it",
        unit->command, unit->command[0] != '\0' ? ": " : "", wrong.text);
  return problem_set (
      problem,
      "its programs have %zu KiB of text at most, libraries included, less"
      " than a huge page: nothing to gain (--program=PATH names one all the"
      " same)",
      most / 1024);
}
