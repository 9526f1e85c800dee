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
       GLIBC_TUNABLES.  */

#include "attach/attach.h"
#include "cmd/command.h"
#include "host/brief.h"
#include "host/inspector.h"
#include "host/process.h"
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

int
main (int argc, char **argv)
{
  static char names[][16] = { "hugetext attach", "hugetext adapt" };
  inspector_begin (inspector_works);
  reason_ask_with (advice_ask, service_advise);
  output_watch ();
  if (argc == 8 && strcmp (argv[1], "at-exec") == 0)
    return at_exec (argv + 2);
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
