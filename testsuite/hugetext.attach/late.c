/* A library for LD_PRELOAD: the time limit that "hugetext attach" has for a
   process expires when attach begins to change the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command's child raises its priority by sched_setscheduler before it
   changes the process.  From the first such call on, the child's clock is 24
   seconds ahead.  */

#define _GNU_SOURCE 1
#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool late;

int
clock_gettime (clockid_t clock, struct timespec *time)
{
  const int result = syscall (SYS_clock_gettime, clock, time);
  if (late && clock == CLOCK_MONOTONIC)
    time->tv_sec += 24;
  return result;
}

int
sched_setscheduler (pid_t tid, int policy, const struct sched_param *param)
{
  late = true;
  return syscall (SYS_sched_setscheduler, tid, policy, param);
}
