/* A census: brief facts about all processes at one time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A command that looks for the processes of several services or programs takes
   one census, and asks about each process only once.  Later, a process of the
   census may have ended, and another process may have its ID.  */

#ifndef CENSUS_H
#define CENSUS_H

#include "host/brief.h"

#include <stddef.h>

/* A process of a census.  If STATE is BRIEF_UNKNOWN or BRIEF_GONE, all texts
   are "".  */
struct census_process
{
  pid_t pid;
  enum brief_state state;
  const char *name, *group, *service, *exe; /* These members have the same
                                               meaning as in struct brief and
                                               struct process.  */
};

struct census
{
  bool taken; /* True if the other members of this process are set.  */
  struct census_process *list;
  size_t count, unknown; /* The number of all processes, and of those in the
                            state BRIEF_UNKNOWN.  */
  size_t no_group;       /* The number of processes in the state
                            BRIEF_NO_GROUP.  */
  struct problem why;    /* If UNKNOWN or NO_GROUP is not 0: why the facts
                            about one of these processes are unknown.  */
};

/* Set CENSUS, which is cleared, to the facts about all processes, unless an
   earlier call has already set CENSUS.  If the list of all processes cannot be
   read, set CENSUS to a single process with the ID 0 and the state
   BRIEF_UNKNOWN.  An empty list would tell the caller that there are no
   processes.  */
extern void census_take (struct census *census);

extern void census_free (struct census *census);

/* Return the element of CENSUS for process PID.  CENSUS must contain PID.  */
extern const struct census_process *
census_process (const struct census *census, pid_t pid);

/* Set LIST to the IDs of the COUNT processes that have NAME in /proc/PID/comm,
   or whose program is the file NAME.  The caller frees LIST.  If there may be
   further processes of this name, set PROBLEM and return false.  */
extern bool census_find (const char *name, pid_t **list, size_t *count,
                         struct problem *problem) MAY_BE_UNKNOWN;

#endif
