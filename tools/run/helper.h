/* Helper processes, each of which puts the text of a static program on huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Because a static program has no loader, the program hugetext-attach, the
   helper, puts the static program's text on huge pages from outside, after the
   execve, but before the first instruction of the program.  The helper begins
   to trace the calling process before the calling process executes the
   program, so that the program inherits the ID, the parent and the other
   attributes of the calling process.  The helper is an orphaned grandchild of
   the calling process, because the program must not find a child that it has
   not forked.  The helper exits before the program begins.  If the helper is
   killed, the program begins as usual.  */

#ifndef HELPER_H
#define HELPER_H

#include "util/problem.h"

/* Start a helper, which then waits until this process executes FILE.  Messages
   begin with CALLER, and name the file NAME.  The helper itself reports
   problems that occur after helper_start has returned.  */
extern bool helper_start (const char *file, const char *name,
                          const char *caller, struct problem *problem);

#endif
