/* The children of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHILDREN_H
#define CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Set LIST to the IDs of the children of process PID's first thread, and
   return their number.  LIST omits the children of other threads, which have
   few children: reading them would take time.  The caller frees LIST.  */
extern size_t children_list (pid_t pid, pid_t **list);

#define CHILDREN_WORDS 256

/* If process PID has children, set WORDS to a clause that says so and names
   some of them, such as "the 2 children of this process were not sampled: 17
   (postgres), 18 (postgres)".  If PID has no children, return false.  */
extern bool children_describe (pid_t pid, char words[static CHILDREN_WORDS]);

#endif
