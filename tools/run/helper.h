/* The helper that puts text of a static program on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No loader loads a static program.  So a helper works on it from outside,
   between its execution and its first instruction: the program
   hugetext-attach, which traces this process from before its execve on.  This
   process executes the program, so that the program has our process ID, parent
   and all else.  The helper is a child of a child of ours that is an orphan by
   then, because the program must not find a child that it has not made.  The
   helper is gone before the program begins; if it is killed, the program
   begins as usual.  */

#ifndef HELPER_H
#define HELPER_H

/* Have the helper wait for this process to execute FILE, which is called NAME
   in messages, behind CALLER.  Return NULL, or why that is not possible, in
   static memory.  The helper reports later problems itself.  */
extern const char *helper_start (const char *file, const char *name,
                                 const char *caller);

#endif
