/* The disposition of SIGCHLD, which launched programs inherit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Commands that launch no program also call launch_keep_children, because they
   start other child processes.  launch_keep_children is not in launch.c, so
   that commands that launch no program do not depend on the code that launches
   programs.  */

#include "run/launch.h"

#include <signal.h>

bool launch_children_ignored;

void
launch_keep_children (void)
{
  launch_children_ignored = signal (SIGCHLD, SIG_DFL) == SIG_IGN;
}
