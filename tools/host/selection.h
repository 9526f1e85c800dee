/* Find the processes that a user selects by PID, NAME or --service=SERVICE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SELECTION_H
#define SELECTION_H

#include "host/unit.h"
#include "util/problem.h"

#include <stddef.h>
#include <sys/types.h>

/* Find the processes of SERVICE, a systemd unit.  If SERVICE is NULL, find the
   processes that have the ID or the name PROCESS.  If several processes have
   this name, omit the calling process.  Return false if no process was found.
   The caller frees LIST.  */
extern bool selected_processes (const char *process, const char *service,
                                pid_t **list, size_t *count,
                                struct problem *problem);

/* What a word names that is not the name of a command.  */
enum selected_kind
{
  SELECTED_NOTHING,
  SELECTED_PROCESS, /* The name of a running process.  */
  SELECTED_SERVICE  /* The name of a systemd unit.  */
};

/* Return what WORD names.  For the name of a running process set *PID to the
   ID of the first process of that name.  */
extern enum selected_kind selected_kind (const char *word, pid_t *pid);

/* UNIT has no processes, so it cannot be inspected.  Set PROBLEM to the
   reason: UNIT is not running, or it only groups other units.  Return
   false.  */
extern bool selected_no_process (const struct unit *unit,
                                 struct problem *problem);

#endif
