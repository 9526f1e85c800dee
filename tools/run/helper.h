/* The helper that puts the text of a static program on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No loader loads a static program.  So a helper, the program hugetext-attach,
   changes the program from outside, between its execve and its first
   instruction.  The helper begins to trace this process before the execve.
   This process executes the program, which so keeps this process's ID, parent
   and other attributes.  The helper is an orphaned grandchild of this process,
   because the program must not find a child that it has not made.  The helper
   ends before the program begins; if it is killed, the program begins as
   usual.  */

#ifndef HELPER_H
#define HELPER_H

#include "util/problem.h"

/* Let the helper wait for this process to execute FILE, called NAME in
   messages, which begin with CALLER.  The helper itself reports later
   problems.  */
extern bool helper_start (const char *file, const char *name,
                          const char *caller, struct problem *problem);

#endif
