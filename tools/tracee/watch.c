/* The watchdog: timers that end a stop of another process, whatever happens to
   hugetext.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* This file calls the kernel directly, because glibc before 2.34 has its timer
   functions in another library.  */
enum
{
  CONTINUES = 6, /* The number of timers that send SIGCONT.  */
  SOON = 20,     /* The first timer's milliseconds; each later timer has twice
                    as many.  */
  END = CONTINUES,
  TIMERS,
};

static int timers[TIMERS];
static pid_t owner;
static volatile sig_atomic_t on; /* SIGCONT timers must be set again.  */
static bool late;                /* SIGCONT must also be sent between
                                    stops.  */

static bool
make (int *timer, int signal)
{
  struct sigevent event
      = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal };
  return syscall (SYS_timer_create, CLOCK_MONOTONIC, &event, timer) == 0;
}

static void
set (int timer, long milliseconds)
{
  const struct itimerspec when
      = { .it_value = { milliseconds / 1000, milliseconds % 1000 * 1000000 } };
  syscall (SYS_timer_settime, timers[timer], 0, &when, NULL);
}

/* Have the kernel send SIGCONT soon.  A signal that stops this process
   discards a pending SIGCONT.  If this process did not run between the two
   signals, its SIGCONT handler did not set the timer again.  So later timers
   also send SIGCONT.  */
static void
go_on (int signal)
{
  const int error = errno;
  (void) signal;
  for (int i = 0; on && i < CONTINUES; ++i)
    set (i, SOON << i);
  errno = error;
}

/* Make the timers of this process: a child process does not inherit its
   parent's timers.  */
static bool
make_all (void)
{
  const struct sigaction action
      = { .sa_handler = go_on, .sa_flags = SA_RESTART };
  bool good = sigaction (SIGCONT, &action, NULL) == 0;
  for (int i = 0; good && i < TIMERS; ++i)
    good = make (&timers[i], i == END ? SIGKILL : SIGCONT);
  if (good)
    owner = getpid ();
  return good;
}

bool
watch_begin (unsigned int milliseconds)
{
  if (owner != getpid () && !make_all ())
    return false;
  set (END, milliseconds);
  on = true;
  go_on (0);
  return true;
}

void
watch_late (void)
{
  late = true;
}

void
watch_end (void)
{
  if (owner != getpid ())
    return;
  set (END, 0);
  on = late;
  for (int i = 0; !on && i < CONTINUES; ++i)
    set (i, 0);
}
