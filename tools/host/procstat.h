/* The file /proc/PID/stat.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCSTAT_H
#define PROCSTAT_H

#include <stdbool.h>
#include <stdint.h>

struct procstat
{
  char name[32]; /* The name that the process has chosen, with any
                    characters.  */
  char state;
  unsigned int flags;
  long int threads;
  uint64_t start; /* The time at which the process was started, in clock ticks
                     since the machine booted.  */
};

/* Read the open file FD, which is /proc/PID/stat, into STAT.  Return false if
   the process has ended, or if the file is malformed.  Only an unprivileged
   process may call this function for a process that is not its child.  */
extern bool procstat_read (int fd, struct procstat *stat);

#endif
