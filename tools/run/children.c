/* The disposition of SIGCHLD, with which programs are launched.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Every verb calls launch_keep_children.  It is not in launch.c, so that verbs
   that launch no program do not depend on the code that does.  */

#include "run/launch.h"

#include <signal.h>

bool launch_children_ignored;

void
launch_keep_children (void)
{
  launch_children_ignored = signal (SIGCHLD, SIG_DFL) == SIG_IGN;
}
