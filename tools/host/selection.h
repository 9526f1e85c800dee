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
   processes that have the ID or the name PROCESS.  Omit the calling process
   and its inspector and opener, unless PROCESS is an ID. If no process has
   this name, and PROCESS is the full name of a unit, such as nginx.service,
   find the processes of this unit.  Return false if no process was found.  The
   caller frees LIST.  */
extern bool selected_processes (const char *process, const char *service,
                                pid_t **list, size_t *count,
                                struct problem *problem);

/* Processes that the user has selected, and that the command will change.  A
   process may end, and the kernel may give its ID to another process, which
   the command must not change.  */
struct selected
{
  pid_t *pids;
  int *processes; /* A descriptor of each process (pidfd), or -1 before Linux
                     5.3.  */
  size_t count;
};

/* Find processes as selected_processes does, and open a descriptor of each.
   The caller calls selected_free.  */
extern bool selected_hold (const char *process, const char *service,
                           struct selected *selected, struct problem *problem);
extern void selected_free (struct selected *selected);

/* Set SELECTED to its COUNT processes PIDS, without descriptors.  */
extern void selected_unheld (struct selected *selected, size_t count);

/* Return true if process I of SELECTED has ended, so that its ID may belong to
   another process.  If selected_has_ended returns false, the selected process
   still exists, so everything that the command has read from /proc/PID before
   the call is about the selected process.  Before Linux 5.3, return true only
   if no process has the ID.  */
extern bool selected_has_ended (const struct selected *selected, size_t i);

/* Return true if process I of SELECTED has ended or is exiting while another
   process of SELECTED runs (selected_has_gone).  */
extern bool selected_held_has_gone (const struct selected *selected, size_t i);

/* LIST has the IDs of COUNT processes that one of the functions of this file
   has found, and 0 for processes that the caller has discarded.  Return true
   if process I of LIST has ended or is exiting while another process of LIST
   runs.  Services start and end processes all the time, so no verb reports an
   ended process as a problem.  If all processes of LIST have ended, the
   function returns false for each of them, so that the verb reports them.  */
extern bool selected_has_gone (const pid_t *list, size_t count, size_t i);

/* What a word on the command line names.  Some verbs execute a command that
   the user writes as their argument.  If the first word is no command, it may
   be the name of a process or of a service.  */
enum selected_kind
{
  SELECTED_NOTHING,
  SELECTED_PROCESS, /* The name of a running process.  */
  SELECTED_SERVICE  /* The name of a systemd unit.  */
};

/* Return what WORD names.  For the name of a running process set *PID to the
   ID of the first process of that name.  */
extern enum selected_kind selected_kind (const char *word, pid_t *pid);

/* Find the processes of the systemd unit WORD or, if there is no such unit,
   the processes that have the ID or the name WORD (selected_processes).  */
extern bool selected_service_or_processes (const char *word, pid_t **list,
                                           size_t *count,
                                           struct problem *problem);

/* The ways in which the user of a verb can select a service.  */
enum selected_by
{
  SELECTED_BY_OPTION,  /* The user gives the name of the service with
                          --service.  */
  SELECTED_BY_PID,     /* The user gives the ID of the service's main process
                          in place of the service's name.  */
  SELECTED_BY_PROGRAM, /* The user gives the path of the service's program in
                          place of the service's name.  */
};

/* A verb has found no process, program or file called NAME.  If there is a
   systemd unit called NAME, return a text that tells the user how to select
   the unit; BY is the way in which a user selects a unit for this verb.  If no
   systemd unit is called NAME, return "".  The text is in static memory.  */
extern const char *selected_hint (const char *name, enum selected_by by);

/* If there is a systemd unit called NAME that has a program, set ID to the
   unit's full name and PATH to the path of the program, and return true.  */
extern bool selected_program (const char *name, char id[static NAME_MAX + 1],
                              char path[static PATH_MAX]);

/* COMMAND has the words of a command that a verb with the option --service is
   about to start.  If COMMAND is only the name of a running service, or the
   full name of a service, the user probably means the service.  If COMMAND
   names a service, set PROBLEM and return false.  */
extern bool selected_command (char *const *command, struct problem *problem);

/* UNIT has no processes, so it cannot be inspected.  Set PROBLEM to the
   reason: UNIT is not running, or it only groups other units.  Return
   false.  */
extern bool selected_no_process (const struct unit *unit,
                                 struct problem *problem);

#endif
