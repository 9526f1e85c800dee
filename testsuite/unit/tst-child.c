/* Tests of the exit statuses of programs that the command runs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/child.c"
#include "plan-test.h"

#include <signal.h>

/* Run the program NAME, and return its exit status.  */
static int
run_program (const char *name)
{
  char *output;
  const int status = child_run ((const char *const[]){ name, NULL }, &output);
  EXPECT ((output == NULL) == (status < 0));
  free (output);
  return status;
}

int
main (void)
{
  EXPECT (run_program ("true") == 0);
  EXPECT (run_program ("false") == 1);
  EXPECT (run_program ("/nowhere/none") == 127);
  /* If SIGCHLD is ignored, the kernel does not keep the exit status.  */
  EXPECT (signal (SIGCHLD, SIG_IGN) != SIG_ERR);
  EXPECT (run_program ("false") == -1 && errno == ECHILD);
  group_done ("exit statuses", 4);
  return 0;
}
