/* Inspect a process: find out its identity, its objects and its loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/inspect.h"
#include "host/brief.h"
#include "host/unprivileged.h"
#include "text/answer.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

pid_t
inspect_pid (const char *word)
{
  if (word[0] == '\0' || word[strspn (word, "0123456789")] != '\0')
    return -1;
  errno = 0;
  long pid = strtol (word, NULL, 10);
  return errno == 0 && pid > 0 && pid <= INT_MAX ? pid : INT_MAX;
}

const char *
inspect_loader (const struct inspection *found)
{
  static const char *const words[] = { [INSPECTED_NONE] = "none",
                                       [INSPECTED_OTHER] = "other",
                                       [INSPECTED_CLAIMED] = "other",
                                       [INSPECTED_OURS] = "ld-hugetext" };
  return words[found->loader];
}

/* Initialize FOUND (the answer) and ASKED (the question) for process PID.  */
static void
inspect_begin_question (pid_t pid, unsigned int flags,
                        struct inspection *found, struct message *asked)
{
  if (unprivileged_is_root ())
    flags |= INSPECT_AS_ROOT;
  *found = (struct inspection){ .process.pid = pid, .flags = flags };
  *asked = (struct message){ 0 };
  message_put_number (asked, pid);
  message_put_number (asked, flags);
}

/* Fill in the members of FOUND for a process that could not be inspected, and
   return false.  FOUND's problem already says why the inspector has given no
   answer.  */
static bool
inspect_fill_unknown (struct inspection *found)
{
  struct brief brief;
  struct problem ignored;
  if (brief_ask (found->process.pid, &brief, &ignored))
    found->process = brief.process;
  snprintf (found->group, sizeof found->group, "%s", brief.service);
  found->unread = found->left_out = true;
  return false;
}

/* Complete FOUND from ANSWER, and free ANSWER.  Return true if FOUND has no
   problem.  */
static bool
inspect_take_answer (struct inspection *found, struct message *answer)
{
  const bool good = answer_get (answer, found);
  message_free (answer);
  if (!good)
    {
      inspect_free (found);
      problem_set (&found->problem,
                   "the data that was read from the process is inconsistent");
      return inspect_fill_unknown (found);
    }
  if (problem_is (&found->problem))
    return false;
  return found->error == 0
         || process_explain (&found->process, found->error, &found->problem);
}

/* Ask the inspector the question ASKED, and complete FOUND from its answer.
   Return true if FOUND has no problem.  */
static bool
inspect_ask_inspector (struct inspection *found, struct message *asked)
{
  struct message answer;
  return inspector_ask (INSPECTOR_TEXT, found->process.pid, 0, asked, &answer,
                        &found->problem)
             ? inspect_take_answer (found, &answer)
             : inspect_fill_unknown (found);
}

bool
inspect (pid_t pid, unsigned int flags, struct inspection *found)
{
  struct message asked;
  inspect_begin_question (pid, flags, found, &asked);
  return inspect_ask_inspector (found, &asked);
}

bool
inspect_again (const struct process *process, unsigned int flags,
               struct inspection *found)
{
  if (!inspect (process->pid, flags, found))
    return false;
  if (process_is_same (process, &found->process))
    return true;
  inspect_free (found);
  return problem_set (&found->problem, "the process has ended");
}

size_t
inspect_many (const pid_t *pids, size_t count, struct inspection *found)
{
  struct message asked[INSPECT_MANY], answers[INSPECT_MANY];
  if (count > INSPECT_MANY)
    count = INSPECT_MANY;
  for (size_t i = 0; i < count; ++i)
    inspect_begin_question (pids[i], INSPECT_COST, &found[i], &asked[i]);
  const size_t answered
      = inspector_ask_many (INSPECTOR_TEXT, pids, asked, answers, count);
  for (size_t i = 0; i < count; ++i)
    if (i < answered)
      inspect_take_answer (&found[i], &answers[i]);
    else
      inspect (pids[i], INSPECT_COST, &found[i]);
  return count;
}

/* Set MAPS to the mappings of process PID, with details if DETAILED is true,
   and EXE to the path of its program.  Set *ERROR to the inspector's error
   number, or to 0.  Return false if the inspector gives no answer.  */
static bool
ask_maps (pid_t pid, bool detailed, char exe[static PATH_MAX],
          struct procmaps *maps, int *error, struct problem *problem)
{
  struct message asked = { 0 }, answer;
  *maps = (struct procmaps){ 0 };
  message_put_number (&asked, pid);
  message_put_number (&asked, detailed);
  if (!inspector_ask (INSPECTOR_MAPS, pid, 0, &asked, &answer, problem))
    return false;
  message_get_printable (&answer, exe, PATH_MAX);
  *error = answer_get_maps (&answer, maps);
  message_free (&answer);
  return true;
}

/* Return true if the file EXE is mapped in MAPS.  */
static bool
has_mapped (const struct procmaps *maps, const char *exe)
{
  for (size_t i = 0; i < maps->count; ++i)
    if (strcmp (maps->list[i].name, exe) == 0)
      return true;
  return false;
}

bool
inspect_maps (pid_t pid, char exe[static PATH_MAX], struct procmaps *maps)
{
  struct problem problem;
  int error = 0;
  exe[0] = '\0';
  const bool known = ask_maps (pid, false, exe, maps, &error, &problem);
  process_cut_deleted (exe);
  if (has_mapped (maps, exe))
    return true;
  procmaps_free (maps);
  *maps = (struct procmaps){ 0 };
  exe[0] = '\0';
  return known && (error == 0 || error == ESRCH || error == ENOENT);
}

bool
inspect_details (const struct process *process, struct procmaps *maps,
                 struct problem *problem)
{
  char exe[PATH_MAX];
  int error = 0;
  if (!ask_maps (process->pid, true, exe, maps, &error, problem))
    return false;
  if (error == EDQUOT)
    return problem_set (
        problem,
        "inspecting the process would take too long, or too much memory");
  return error == 0 || process_explain (process, error, problem);
}

void
inspect_free (struct inspection *found)
{
  for (size_t i = 0; found->files != NULL && i < found->objects.count; ++i)
    {
      free (found->files[i].verdicts);
      free (found->files[i].elf);
    }
  free (found->files);
  objtext_free (&found->objects);
  record_free (&found->record);
  found->files = NULL;
}

void
inspect_say_left_out (const struct inspection *found)
{
  if (found->left_out)
    terminal_say (stderr, 4, "hugetext: process %d (%s) is left out: %s",
                  (int) found->process.pid, found->process.name,
                  found->problem.text);
}

const char *
inspect_thp_disabled (void)
{
  return "has switched transparent huge pages off for itself (prctl "
         "PR_SET_THP_DISABLE): text that the kernel reclaims comes back on "
         "small pages, unless the backing is hugetlb";
}

const char *
inspect_words (const struct inspection *found,
               char buffer[static INSPECT_WORDS])
{
  static const char *const words[]
      = { [INSPECTED_UNKNOWN] = "loader unknown",
          [INSPECTED_NONE] = "without a loader",
          [INSPECTED_OTHER] = "loaded by a loader other than ld-hugetext.so",
          [INSPECTED_CLAIMED]
          = "loaded by an ld-hugetext.so that other users may have written",
          [INSPECTED_OURS] = "loaded by ld-hugetext.so" };
  char name[PATH_MAX];
  snprintf (
      buffer, INSPECT_WORDS, "%s, %s",
      terminal_text (found->exe[0] != '\0' ? found->exe : found->process.name,
                     0, name, sizeof name),
      words[found->loader]);
  return buffer;
}

void
inspect_heading (FILE *stream, const struct inspection *found)
{
  char words[INSPECT_WORDS];
  terminal_say (stream, 4, "%d %s", (int) found->process.pid,
                inspect_words (found, words));
}
