/* The disposition of SIGCHLD, which launched programs inherit.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Every verb calls launch_keep_children.  This function is not in launch.c,
   because otherwise verbs that launch no program would depend on the code that
   launches programs.  */

#include "run/launch.h"

#include <signal.h>

bool launch_children_ignored;

void
launch_keep_children (void)
{
  launch_children_ignored = signal (SIGCHLD, SIG_DFL) == SIG_IGN;
}
