/* Brief facts about processes: owner, name, control group and program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector reads these facts from files of /proc/PID that never block.
   So the command can still ask for brief facts about a process if an
   inspection of its memory or files does not return.  If the inspector does
   not answer, something other than the process may be the cause.  */

#ifndef BRIEF_H
#define BRIEF_H

#include "host/process.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum brief_state
{
  BRIEF_UNKNOWN,  /* The inspector has given no answer, or could not read the
                     facts.  */
  BRIEF_GONE,     /* The process does not exist.  */
  BRIEF_NO_GROUP, /* The inspector could read all facts except the control
                     group and the service.  A user can hide the control group
                     of a process by making the group's path too long for the
                     kernel to report.  */
  BRIEF_READ,
};

struct brief
{
  enum brief_state state;
  struct process process; /* The ID, the owner and the name of the process;
                             the other members are not set.  */
  char group[PATH_MAX];   /* The path of its control group, or "".  GROUP is ""
                             in the state BRIEF_NO_GROUP.  */
  char service[PATH_MAX]; /* Its service (group_name), or "".  */
  char exe[PATH_MAX];     /* The path of its program, with "?" for characters
                             that are not printable.  The path is "" if the
                             process has no program, or this user may not see
                             the path.  */
};

/* Ask the inspector about the process PID.  Set PROBLEM if the state of FOUND
   becomes BRIEF_UNKNOWN or BRIEF_NO_GROUP.  Return true if the state becomes
   BRIEF_READ.  */
extern bool brief_ask (pid_t pid, struct brief *found,
                       struct problem *problem);

/* Ask the inspector about several processes at once: the first BRIEF_MANY of
   the COUNT processes PIDS, or all if COUNT is smaller.  For each process that
   the inspector is asked about, set one element of FOUND.  Return the number
   of elements.  The caller clears PROBLEM before the first call.  Set PROBLEM
   if an element has the state BRIEF_UNKNOWN.  Also set PROBLEM if an element
   has the state BRIEF_NO_GROUP, unless PROBLEM is set already.  */
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
                           struct problem *problem) MAY_BE_UNKNOWN;

/* Ask the inspector for the path of the program that process PID executes, and
   set PATH to it.  If PID has no program, or does not exist, or this user may
   not see the path, set PATH to "".  If the inspector (host/inspector.h) does
   not answer, set PATH to "" and return false.  */
extern bool brief_exe (pid_t pid, char path[static PATH_MAX]) MAY_BE_UNKNOWN;

/* In the inspector (host/inspector.h): set NAME to the service of process PID,
   or to "" if the kernel has no control groups.  If the service cannot be
   read, for example because PID does not exist, set errno and return
   false.  */
extern bool brief_read_service (pid_t pid,
                                char name[static PATH_MAX]) MAY_BE_UNKNOWN;

/* In the inspector: answer a question.  */
extern void brief_answer (struct message *asked, struct message *answer);

#endif
