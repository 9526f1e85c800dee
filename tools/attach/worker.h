/* The worker: a child of the command that changes a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The worker is a process of its own: if it takes too long and is killed, the
   command can still report that, and clear the children of the process.  */

#ifndef ATTACH_WORKER_H
#define ATTACH_WORKER_H

#include "attach/convert.h"

/* Change the process of ALL, or UNDO the change, in stops of at most 10
   milliseconds each, until the budget of ALL is used up.  Return NULL or why
   that is not possible, or not to its end.  */
extern const char *worker_do (struct conversion *all, bool undo);

#endif
