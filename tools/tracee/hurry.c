/* The scheduling priority of the stopped thread.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/hurry.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The argument of sched_setattr(2), which is in glibc 2.41 and later.  An
   argument of zeros means SCHED_OTHER with a nice value of 0.  The value 0 of
   the member SIZE stands for the size of the first version of this struct.  */
struct attributes
{
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

_Static_assert(sizeof (struct attributes) == TRAMPOLINE_ZEROS,
               "TRAMPOLINE_ZEROS is the size of struct attributes");

static bool
hurry_read_memory (pid_t tid, struct attributes *attributes)
{
  return syscall (SYS_sched_getattr, tid, attributes, sizeof *attributes, 0)
         == 0;
}

/* The scheduling that this process had before it raised its priority.  */
static struct attributes usual;
static bool realtime;

void
hurry_myself (void)
{
  const struct sched_param param = { .sched_priority = 1 };
  setpriority (PRIO_PROCESS, 0, -20);
  realtime
      = (hurry_read_memory (0, &usual)
         && sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param)
                == 0);
}

/* Return true if thread TID has the default scheduling, which an argument of
   zeros restores.  (From Linux 6.12 on, a thread can have a time slice of its
   own.)  */
static bool
is_usual (pid_t tid)
{
  struct attributes its;
  return (hurry_read_memory (tid, &its) && its.policy == SCHED_OTHER
          && its.flags == 0 && its.nice == 0 && its.priority == 0
          && its.runtime == usual.runtime);
}

bool
hurry_prepare (struct tracee *tracee, enum tracee_hurry how,
               struct trampoline_call *call)
{
  if (how == TRACEE_REALTIME)
    {
      const uintptr_t zeros
          = realtime && is_usual (tracee->tid)
                ? trampoline_zeros (tracee->pid, tracee->memory)
                : 0;
      *call = (struct trampoline_call){ .used = true,
                                        .number = SYS_sched_setattr,
                                        .b = zeros };
      return zeros != 0;
    }
  errno = 0;
  tracee->priority = getpriority (PRIO_PROCESS, tracee->tid);
  *call = (struct trampoline_call){ .used = true,
                                    .number = SYS_setpriority,
                                    .a = PRIO_PROCESS,
                                    .c = tracee->priority };
  return errno == 0 && tracee->priority > getpriority (PRIO_PROCESS, 0);
}

bool
hurry_begin (struct tracee *tracee, enum tracee_hurry how)
{
  const struct sched_param param = { .sched_priority = 1 };
  const bool good
      = how == TRACEE_REALTIME
            ? sched_setscheduler (tracee->tid, SCHED_FIFO, &param) == 0
            : setpriority (PRIO_PROCESS, tracee->tid,
                           getpriority (PRIO_PROCESS, 0))
                  == 0;
  if (good)
    tracee->hurried = how;
  return good;
}

void
hurry_end (struct tracee *tracee)
{
  static const struct sched_param param = { .sched_priority = 0 };
  switch (tracee->hurried)
    {
    case TRACEE_REALTIME:
      sched_setscheduler (tracee->tid, SCHED_OTHER, &param);
      break;
    case TRACEE_NICE:
      setpriority (PRIO_PROCESS, tracee->tid, tracee->priority);
      break;
    default:
      break;
    }
  tracee->hurried = TRACEE_USUAL;
}
