/* The processes that a user names: PID, NAME or --service=SERVICE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SELECTION_H
#define SELECTION_H

#include "util/problem.h"

#include <stddef.h>
#include <sys/types.h>

/* Find the processes of SERVICE, a systemd unit; or, if SERVICE is NULL,
   those with the ID or name PROCESS, without this process if there are
   several.  Return false if no process was found.  The caller frees LIST.  */
extern bool selected_processes (const char *process, const char *service,
                                pid_t **list, size_t *count,
                                struct problem *problem);

#endif
