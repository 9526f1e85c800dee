/* The program hugetext-attach does the tasks that need ptrace.  The command
   "hugetext" executes this program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   hugetext-attach attach ...
   hugetext-attach adapt ...
       hugetext attach ..., hugetext adapt ...

   hugetext-attach at-exec SOCKET PID CALLER NAME FILE TUNABLES
       puts the text of the static program FILE, which process PID is about to
       execute, on huge pages before its first instruction.  The process PID
       has the other end of SOCKET (run/helper.h).  Messages begin with CALLER,
       NAME is the program's name in messages, and TUNABLES is the program's
       GLIBC_TUNABLES.

   hugetext-attach check attach|adapt PID [KEY=VALUE]
       finds out whether "hugetext attach" or "hugetext adapt", with the
       setting KEY=VALUE, would accept process PID (object/attachable).  The
       exit status is the answer, and the output is the reason.  */

#include "attach/attach.h"
#include "cmd/command.h"
#include "heat/profile.h"
#include "host/brief.h"
#include "host/inspector.h"
#include "host/process.h"
#include "object/attachable.h"
#include "sample/sample.h"
#include "service/service.h"
#include "store/advice.h"
#include "text/collect.h"
#include "util/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The functions that the inspector, a separate process, runs to answer
   questions of hugetext-attach.  */
static inspector_work *const inspector_works[INSPECTOR_KINDS] = {
  [INSPECTOR_PROCESS] = process_answer, [INSPECTOR_BRIEF] = brief_answer,
  [INSPECTOR_MAPS] = collect_maps,      [INSPECTOR_TEXT] = collect_text,
  [INSPECTOR_FILE] = sample_answer,     [INSPECTOR_CHANGES] = attach_answer,
};

static int
at_exec (char **argv)
{
  const struct attach_program program = { .pid = atoi (argv[1]),
                                          .caller = argv[2],
                                          .name = argv[3],
                                          .file = argv[4],
                                          .tunables = argv[5] };
  return attach_at_exec (&program, atoi (argv[0]));
}

/* Set SETTINGS from SETTING, a text of the form "KEY=VALUE", or NULL.  Return
   false if SETTING has another form.  */
static bool
read_setting (const char *setting, struct settings *settings,
              struct problem *problem)
{
  *settings = (struct settings){ .limited = false };
  if (setting == NULL)
    return true;
  const size_t length = strcspn (setting, "=");
  const enum hugetext_key key = settings_find_key (setting, length);
  return (key < HUGETEXT_VALUES && setting[length] == '='
          && settings_parse (settings, (enum setting) key,
                             setting + length + 1, problem));
}

/* Return false and set PROBLEM if "hugetext adapt" can take no samples, or
   cannot write profiles.  If this process has a seccomp filter, do not try to
   sample, because the filter may kill this process for the attempt.  Ask about
   the directory only if the user is not root, because root can create it.  */
static bool
can_profile (struct problem *problem)
{
  if (!process_is_filtered (0) && !sample_check (problem))
    return false;
  const int dir
      = geteuid () != 0 ? profile_directory (PROFILES_PATH, problem) : 0;
  if (dir > 0)
    close (dir);
  return dir >= 0;
}

/* Return the answer to the question about the process PID and SETTING, a text
   of the form "KEY=VALUE", or NULL.  Before attach with other settings, the
   user undoes an earlier attach, so blocks that would not change now do not
   matter.  For adapt, ADAPTS is true: only samples decide which blocks
   change.  */
static enum reason_answer
attach_main_check_process (bool adapts, const char *pid, const char *setting)
{
  struct settings settings;
  struct problem problem;
  if (!read_setting (setting, &settings, &problem))
    return REASON_UNKNOWN;
  enum reason_answer answer
      = attach_check (pid, &settings, setting == NULL && !adapts, &problem);
  if (adapts && answer == REASON_TAKES && !can_profile (&problem))
    answer = REASON_REFUSES;
  if (problem_is (&problem))
    printf ("%s\n", problem.text);
  return answer;
}

int
main (int argc, char **argv)
{
  static char names[][16] = { "hugetext attach", "hugetext adapt" };
  inspector_begin (inspector_works);
  reason_ask_with (advice_ask, service_advise, attachable_ask);
  output_watch ();
  if (argc == 8 && strcmp (argv[1], "at-exec") == 0)
    return at_exec (argv + 2);
  if ((argc == 4 || argc == 5) && strcmp (argv[1], "check") == 0)
    return attachable_status (attach_main_check_process (
        strcmp (argv[2], "adapt") == 0, argv[3], argv[4]));
  const bool adapts = argc >= 2 && strcmp (argv[1], "adapt") == 0;
  if (argc < 2 || (!adapts && strcmp (argv[1], "attach") != 0))
    {
      fputs ("hugetext-attach: do not run this program directly; use "
             "hugetext attach or hugetext adapt\n",
             stderr);
      return STATUS_USAGE;
    }
  argv[1] = names[adapts];
  return (adapts ? command_adapt : command_attach) (argc - 1, argv + 1);
}
