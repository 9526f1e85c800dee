/* Eligible programs: find the programs of a service that can gain from huge
   text, or check a program that the user has named.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/brief.h"
#include "host/reader.h"
#include "object/attachable.h"
#include "object/plan.h"
#include "object/reason.h"
#include "service/parts.h"
#include "text/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return true if the program PATH and the libraries that it needs have enough
   text to gain from huge pages.  */
static bool
has_text (const char *path, struct problem *problem)
{
  const struct settings none = { 0 };
  const struct reason_about about = { .settings = &none };
  char reason[REASON_SIZE];
  size_t text;
  if (!program_ask_text (path, &text, problem))
    return false;
  reason_describe (HUGETEXT_SMALL_PROGRAM, &about, reason);
  return !plan_is_small (text) || problem_set (problem, "%s", reason);
}

static void
eligible_add_if_new (struct file_list *files, const char *name)
{
  if (!file_list_has (files, name))
    file_list_add (files, name);
}

/* A new process of a service runs a program of systemd until it executes a
   program of the service.  Do not add the program of systemd to the service's
   programs.  Return true if EXE is a program of systemd: FIRST, the program of
   the unit's first process.  Since systemd 255, this may be a helper of
   systemd.  */
static bool
is_starting (const char *exe, const char *first)
{
  const char *name = strrchr (exe, '/');
  return ((name != NULL && strcmp (name, "/systemd-executor") == 0)
          || strcmp (exe, first) == 0);
}

/* Answer, in an unprivileged process, whether the file at the path ASKED is a
   program.  */
static void
eligible_find_program (const struct reader_file *none, const void *asked,
                       struct message *answer)
{
  struct stat status;
  (void) none;
  message_put_number (answer, stat (asked, &status) == 0
                                  && S_ISREG (status.st_mode)
                                  && (status.st_mode & 0111) != 0);
}

/* Find out whether PATH, the program of a running process, can be started
   again.  If the program's file has been replaced, remove the kernel's suffix
   " (deleted)" from PATH, and let an unprivileged process look for the new
   file.  */
static struct truth
will_start (char *path)
{
  /* If PATH does not end with the kernel's suffix " (deleted)", the program's
     file is still at PATH.  */
  if (!process_cut_deleted (path))
    return truth_of (path[0] != '\0');
  return reader_says (-1, path, eligible_find_program, path);
}

/* Add the program of process PID to PROGRAMS if huge text can make it faster.
   FIRST is the program of the first process.  If the program of process PID is
   unknown, set PROBLEM and return false.  */
static bool
add_program_of (pid_t pid, const char *first, struct file_list *programs,
                struct problem *problem)
{
  struct inspection found;
  if (!inspect (pid, INSPECT_BRIEF, &found))
    {
      *problem = found.problem;
      return !found.unread;
    }
  bool known = true;
  if (!found.elsewhere && !found.small && !is_starting (found.exe, first))
    {
      const struct truth starts = will_start (found.exe);
      known
          = starts.is != TRUTH_UNKNOWN
            || problem_set (problem, "%s: the file cannot be read", found.exe);
      if (starts.is == TRUTH_YES && entry_can_name (found.exe))
        eligible_add_if_new (programs, found.exe);
    }
  inspect_free (&found);
  return known;
}

/* Add the programs of UNIT's processes.  If the program of some process is
   unknown, set PROBLEM and return false.  An entry that lacks a program would
   leave the processes of this program without huge text.  */
static bool
add_running (const struct unit *unit, struct file_list *programs,
             struct problem *problem)
{
  pid_t *list;
  size_t count;
  char first[PATH_MAX];
  struct problem why = { 0 };
  bool known = unit_processes (unit, NULL, &list, &count, &why);
  if (known && count > 0 && !brief_exe (1, first))
    known = problem_set (&why, "process 1 cannot be read");
  for (size_t i = 0; i < count && known; ++i)
    known = add_program_of (list[i], first, programs, &why);
  free (list);
  return known
         || problem_unknown (problem,
                             "which programs the service runs (%s); name them "
                             "with --program=PATH",
                             why.text);
}

/* Set PROBLEM to the reason why the statically linked program PATH cannot be
   enabled, and to another way to put its text on huge pages.  Return
   false.  */
static bool
reject_static (const char *path, struct problem *problem)
{
  static const struct settings none;
  const struct reason_file source = { .path = path };
  struct reason_about about = reason_about (&none, where_own ());
  char words[REASON_SIZE];
  struct problem why;
  about.files = &source;
  about.nfiles = 1;
  if (!attachable_at_start (&why))
    {
      reason_advise ("[to cache its file in huge pages: hugetext prime FILE]",
                     &about, words);
      return problem_from (
          problem, &why,
          "the program is statically linked, and hugetext run "
          "cannot put its text on huge pages, because %s: %s",
          why.text, words);
    }
  reason_advise ("hugetext run puts its text on huge pages; or [to cache its "
                 "file in huge pages: hugetext prime FILE]",
                 &about, words);
  return problem_set (problem, "the program is statically linked: %s", words);
}

bool
eligible_add (const char *file, struct file_list *programs,
              struct problem *problem)
{
  struct program program;
  char path[PATH_MAX];
  if (!program_ask (file, &program, path, problem))
    return false;
  if (program.kind == PROGRAM_OTHER)
    return problem_set (problem,
                        "the file is not a program for this architecture");
  if (program.kind == PROGRAM_STATIC)
    return reject_static (path, problem);
  if (program.secure)
    return problem_set (problem,
                        "the program gains privileges when it is executed "
                        "(AT_SECURE), so the loader reads no settings");
  if (!entry_can_name (path))
    return problem_set (problem, "the path has characters that have a special "
                                 "meaning in patterns (*, ?, [)");
  eligible_add_if_new (programs, path);
  return true;
}

bool
eligible_of_unit (const struct unit *unit, struct file_list *programs,
                  struct problem *problem)
{
  struct problem wrong = { .text = "the unit names no program" };
  if (!add_running (unit, programs, problem))
    return false;
  if (unit->command[0] != '\0')
    {
      struct file_list started = { 0 };
      if (eligible_add (unit->command, &started, &wrong)
          && has_text (started.names[0], &wrong))
        eligible_add_if_new (programs, started.names[0]);
      file_list_free (&started);
    }
  if (programs->count > 0)
    return true;
  if (unit->parts != NULL)
    return problem_set (problem,
                        "the unit runs no program that can be enabled; enable "
                        "the units that it groups: %s",
                        unit->parts);
  return problem_from (problem, &wrong,
                       "hugetext knows no program of the service that would "
                       "gain from huge text "
                       "(%s%s%s): %sname %s program with --program=PATH",
                       unit->command, unit->command[0] != '\0' ? ": " : "",
                       wrong.text,
                       unit_is_up (unit) ? "" : "start the service, or ",
                       unit_is_up (unit) ? "another" : "a");
}
