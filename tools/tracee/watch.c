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

/* The kernel's own calls are used, because glibc before 2.34 has timers in
   another library.  */
enum
{
  CONTINUE,
  END,
  TIMERS,
};

static int timers[TIMERS];
static pid_t owner;

/* A handler is needed: for an ignored signal, a timer of Linux 6.13 or later
   fires once only.  */
static void
go_on (int signal)
{
  (void) signal;
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
  syscall (SYS_timer_settime, timers[timer], 0, &when, NULL);
}

void
watch_begin (unsigned int milliseconds)
{
  enum
  {
    SOON = 20,
  };
  const struct sigaction action
      = { .sa_handler = go_on, .sa_flags = SA_RESTART };
  /* Children do not have their parent's timers.  */
  if (owner != getpid ())
    sigaction (SIGCONT, &action, NULL);
  if (owner != getpid () && make (&timers[CONTINUE], SIGCONT)
      && make (&timers[END], SIGKILL))
    owner = getpid ();
  if (owner != getpid ())
    return;
  set (END, milliseconds, false);
  set (CONTINUE, SOON, true);
}

void
watch_end (void)
{
  if (owner != getpid ())
    return;
  set (CONTINUE, 0, false);
  set (END, 0, false);
}
