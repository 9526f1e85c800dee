/* The watchdog: timers that end a stop of another process, whatever happens to
   hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/watch.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds between two signals SIGCONT.  */
#define SOON 5

sigjmp_buf *volatile watch_way_out;

/* Timers that send SIGCONT and SIGKILL, of process OWNER: children do not have
   their parent's timers.  The kernel's own calls are used, because glibc
   before 2.34 has timers in another library.  */
static int timers[2];
static pid_t owner;

/* A handler is needed: for an ignored signal, a timer of Linux 6.13 or later
   fires once only.  */
static void
go_on (int signal)
{
  (void) signal;
  sigjmp_buf *way_out = watch_way_out;
  watch_way_out = NULL;
  if (way_out != NULL)
    siglongjmp (*way_out, 1);
}

static bool
make (int *timer, int signal)
{
  struct sigevent event
      = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal };
  return syscall (SYS_timer_create, CLOCK_MONOTONIC, &event, timer) == 0;
}

static void
set (int timer, long milliseconds, bool again)
{
  const struct timespec time
      = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
  const struct itimerspec when
      = { .it_interval = again ? time : (struct timespec){ 0, 0 },
          .it_value = time };
  if (owner == getpid ())
    syscall (SYS_timer_settime, timers[timer], 0, &when, NULL);
}

void
watch_begin (unsigned int milliseconds)
{
  if (owner != getpid ())
    {
      sigset_t set;
      sigemptyset (&set);
      sigaddset (&set, SIGCONT);
      sigprocmask (SIG_UNBLOCK, &set, NULL);
      sigaction (
          SIGCONT,
          &(struct sigaction){ .sa_handler = go_on, .sa_flags = SA_RESTART },
          NULL);
      if (make (&timers[0], SIGCONT) && make (&timers[1], SIGKILL))
        owner = getpid ();
    }
  set (1, milliseconds, false);
  set (0, SOON, true);
}

void
watch_end (void)
{
  set (0, 0, false);
  set (1, 0, false);
}
