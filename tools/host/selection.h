/* Find the processes that a user names as PID, NAME or --service=SERVICE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SELECTION_H
#define SELECTION_H

#include "host/unit.h"
#include "util/problem.h"

#include <stddef.h>
#include <sys/types.h>

/* Find the processes of SERVICE, a systemd unit.  If SERVICE is NULL, find the
   processes that have the ID or the name PROCESS; if several have this name,
   leave out this process itself.  Return false if no process was found.  The
   caller frees LIST.  */
extern bool selected_processes (const char *process, const char *service,
                                pid_t **list, size_t *count,
                                struct problem *problem);

/* Set PROBLEM to the reason why UNIT, which has no processes, cannot be
   inspected: UNIT is not running, or only groups other units.  Return
   false.  */
extern bool selected_no_process (const struct unit *unit,
                                 struct problem *problem);

#endif
