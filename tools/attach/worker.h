/* The child of the command that works on a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It is a process of its own so that the command is left to say so, and to
   look for what has got into children, if it takes too long and is killed.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "attach/convert.h"

/* Change the process that ALL is about, or UNDO that, stopping it for at most
   DEADLINE milliseconds at a time, until the budget of ALL is used up. Returns
   NULL or why that cannot be done, or not to its end, until the next time.  */
extern const char *worker_do (struct conversion *all, bool undo,
                              double deadline);

#endif
