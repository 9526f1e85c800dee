/* The memory that the control groups of a process, and the machine, leave for
   copies of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions of the loader's policy (elf/) calculate how much memory is
   left.  The functions of the policy parse /proc/PID/cgroup, which contains
   names that users have chosen.  Therefore the command calls these functions
   in an unprivileged child.  */

#ifndef MEMORY_H
#define MEMORY_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct memory_room
{
  size_t free; /* The memory that the process may still use, in bytes, or
                  SIZE_MAX if there is no limit.  */
  size_t left; /* The memory that is left for copies, in bytes, or SIZE_MAX if
                  there is no limit.  */
  size_t copies; /* How many blocks may be copies, including those that are
                    copies already.  */
};

/* Set ROOM to the memory that is left for process PID, or for this process if
   PID is 0.  COPIES is the number of blocks of the process that are already
   copies.  If it is unknown how much memory is left, set PROBLEM and return
   false.  */
extern bool memory_ask (pid_t pid, size_t copies, struct memory_room *room,
                        struct problem *problem);

#endif
