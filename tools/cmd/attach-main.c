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

   hugetext-attach check PID [KEY=VALUE]
       finds out whether hugetext-attach, with the setting KEY=VALUE, would put
       text of process PID on huge pages (attach_check).  The exit status is
       the answer (object/attachable.h), and the output is the reason.  */

#include "attach/attach.h"
#include "cmd/command.h"
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

/* Return the answer to the question about the process PID and SETTING, a text
   of the form "KEY=VALUE", or NULL.  */
static enum reason_answer
check (const char *pid, const char *setting)
{
  struct settings settings = { .limited = false };
  struct problem problem;
  const size_t length = setting != NULL ? strcspn (setting, "=") : 0;
  const enum hugetext_key key = setting != NULL
                                    ? settings_find_key (setting, length)
                                    : HUGETEXT_VALUES;
  if (setting != NULL
      && (key >= HUGETEXT_VALUES || setting[length] == '\0'
          || !settings_parse (&settings, (enum setting) key,
                              setting + length + 1, &problem)))
    return REASON_UNKNOWN;
  const enum reason_answer answer = attach_check (pid, &settings, &problem);
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
  if ((argc == 3 || argc == 4) && strcmp (argv[1], "check") == 0)
    return attachable_status (check (argv[2], argv[3]));
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
