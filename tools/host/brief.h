/* Brief facts about processes: owner, name and control group.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector reads these facts from files of /proc/PID that never block.
   Therefore the command may ask for the facts even if the process blocks other
   inspections.  A missing answer does not show that the process blocks the
   inspector.  */

#ifndef BRIEF_H
#define BRIEF_H

#include "host/process.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum brief_state
{
  BRIEF_UNKNOWN, /* The inspector has given no answer, or could not read the
                    facts.  */
  BRIEF_GONE,    /* The process does not exist.  */
  BRIEF_READ,
};

struct brief
{
  enum brief_state state;
  struct process process; /* The ID, the owner and the name of the process;
                             the other members are not set.  */
  char group[PATH_MAX];   /* The path of its control group, or "".  */
  char service[PATH_MAX]; /* Its service (group_name), or "".  */
};

/* Ask the inspector about the process PID.  Set PROBLEM if the state of FOUND
   becomes BRIEF_UNKNOWN.  Return true if the state becomes BRIEF_READ.  */
extern bool brief_ask (pid_t pid, struct brief *found,
                       struct problem *problem);

/* Ask the inspector about several processes at once: the first BRIEF_MANY of
   the COUNT processes PIDS, or all if COUNT is smaller.  Set an element of
   FOUND for each of these processes, and return their number.  Set PROBLEM if
   the state of an element becomes BRIEF_UNKNOWN.  */
enum
{
  BRIEF_MANY = 32,
};
extern size_t brief_ask_many (const pid_t *pids, size_t count,
                              struct brief found[static BRIEF_MANY],
                              struct problem *problem);

/* Ask the inspector for the service of process PID, and set NAME to it
   (group_name).  If PID does not exist, or the kernel has no control groups,
   set NAME to "".  If the service is unknown, set NAME to "", set PROBLEM and
   return false.  */
extern bool brief_service (pid_t pid, char name[static PATH_MAX],
                           struct problem *problem);

/* Set LIST to the IDs of the processes that have NAME in /proc/PID/comm, or
   whose program is the file NAME.  Return the number of processes.  The caller
   frees LIST.  If no process is found, but the name of some process is
   unknown, return -1 and set PROBLEM.  */
extern ssize_t brief_find (const char *name, pid_t **list,
                           struct problem *problem);

/* In the inspector: set NAME to the service of process PID, or to "" if PID
   does not exist.  */
extern void brief_read_service (pid_t pid, char name[static PATH_MAX]);

/* In the inspector: answer a question.  */
extern void brief_answer (struct message *asked, struct message *answer);

#endif
