/* A helper process puts the text of a static program on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A static program has no loader.  So a helper, the program hugetext-attach,
   changes the program from outside, between its execve and its first
   instruction.  The helper begins to trace this process before the execve.
   Then this process executes the program.  So the program has this process's
   ID, parent and other attributes.  The helper is an orphaned grandchild of
   this process, because the program must not find a child that it has not
   made.  The helper exits before the program begins.  If the helper is killed,
   the program begins as usual.  */

#ifndef HELPER_H
#define HELPER_H

#include "util/problem.h"

/* Start a helper, which then waits until this process executes FILE.  Messages
   begin with CALLER, and call the file NAME.  The helper itself reports
   problems that occur after helper_start has returned.  */
extern bool helper_start (const char *file, const char *name,
                          const char *caller, struct problem *problem);

#endif
