/* Put a program's text on huge pages between its execution and its first
   instruction, from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For programs that no loader loads.  This very process executes the program,
   so that it has our process ID, parent and all the rest.  What works on it is
   a child of a child of ours, which is nobody's by then: the program must not
   find a child that it has not made.  It is gone before the program begins,
   and if it is killed the program begins as without us.  */

#ifndef ATEXEC_H
#define ATEXEC_H

/* Have the helper wait for this process to execute the static program FILE,
   which calls itself NAME.  Returns NULL, or why it cannot be, in static
   memory.  What comes later the helper says itself, by SAY.  */
extern const char *atexec_arm (const char *file, const char *name,
                               void (*say) (const char *format, ...));

#endif
