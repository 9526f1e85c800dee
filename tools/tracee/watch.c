/* The watchdog: timers that let a stopped process continue, even if hugetext
   itself is stopped or blocked.
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
  SOON = 20,     /* The number of milliseconds after which the first timer
                    expires; each further timer takes twice as long.  */
  END = CONTINUES,
  TIMERS,
};

static int timers[TIMERS];
static pid_t owner;
static volatile sig_atomic_t on; /* The variable is 1 if the timers must be
                                    started again after they have expired.  */
static bool late;                /* True to send SIGCONT even when no process
                                    is stopped.  */

static bool
watch_make_timer (int *timer, int signal)
{
  struct sigevent event
      = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal };
  return syscall (SYS_timer_create, CLOCK_MONOTONIC, &event, timer) == 0;
}

static void
watch_set_timer (int timer, long milliseconds)
{
  const struct itimerspec when
      = { .it_value = { milliseconds / 1000, milliseconds % 1000 * 1000000 } };
  syscall (SYS_timer_settime, timers[timer], 0, &when, NULL);
}

/* Make the kernel send SIGCONT to this process soon.  This function is also
   the handler for SIGCONT, so that each SIGCONT starts the timers again.
   Start several timers, each of which expires later than the one before: a
   signal that stops this process discards a pending SIGCONT, so that the
   handler does not run for each SIGCONT.  */
static void
go_on (int signal)
{
  const int error = errno;
  (void) signal;
  for (int i = 0; on && i < CONTINUES; ++i)
    watch_set_timer (i, SOON << i);
  errno = error;
}

/* Create the timers of this process.  (A child does not inherit its parent's
   timers.)  */
static bool
make_all (void)
{
  const struct sigaction action
      = { .sa_handler = go_on, .sa_flags = SA_RESTART };
  bool good = sigaction (SIGCONT, &action, NULL) == 0;
  for (int i = 0; good && i < TIMERS; ++i)
    good = watch_make_timer (&timers[i], i == END ? SIGKILL : SIGCONT);
  if (good)
    owner = getpid ();
  return good;
}

bool
watch_begin (unsigned int milliseconds)
{
  if (owner != getpid () && !make_all ())
    return false;
  watch_set_timer (END, milliseconds);
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
  watch_set_timer (END, 0);
  on = late;
  for (int i = 0; !on && i < CONTINUES; ++i)
    watch_set_timer (i, 0);
}
