/* A thread that is traced: its registers, its stops, and the watchdog that
   ends them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Stops are told apart by their status, as ptrace(2) says:

     an event stop   of PTRACE_INTERRUPT, or of a group that is stopped
     a system call   SIGTRAP | 0x80: before it and after it
     a signal        all others: passed on, when it is delivered  */

#include "tracee/thread.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long
thread_now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Milliseconds between two signals SIGCONT.  */
#define SOON 5

/* The place to which the next SIGCONT jumps, or NULL: a way out of a system
   call that waits.  */
static sigjmp_buf *volatile way_out;

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
  sigjmp_buf *to = way_out;
  way_out = NULL;
  if (to != NULL)
    siglongjmp (*to, 1);
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

bool
thread_request (enum __ptrace_request what, pid_t tid, unsigned long data)
{
  return ptrace (what, tid, NULL, (void *) data) == 0;
}

bool
thread_seize (pid_t tid, unsigned long options)
{
  sigjmp_buf here;
  volatile int error = ETIMEDOUT;
  volatile bool good = false;
  if (sigsetjmp (here, 1) == 0)
    {
      way_out = &here;
      good = thread_request (PTRACE_SEIZE, tid, options);
      error = errno;
      way_out = NULL;
    }
  else
    /* The seizure may have succeeded at the moment of the signal.  */
    good = waitid (P_PID, tid, &(siginfo_t){ 0 },
                   WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL)
           == 0;
  errno = error;
  return good;
}

bool
thread_get_registers (pid_t tid, struct tracee_registers *registers)
{
  struct iovec vector = { &registers->user, sizeof registers->user };
  return (ptrace (PTRACE_GETREGSET, tid, (void *) NT_PRSTATUS, &vector) == 0
          && vector.iov_len == sizeof registers->user);
}

bool
thread_set_registers (pid_t tid, const struct tracee_registers *registers)
{
  struct iovec vector = { (void *) &registers->user, sizeof registers->user };
  return ptrace (PTRACE_SETREGSET, tid, (void *) NT_PRSTATUS, &vector) == 0;
}

bool
thread_get_mask (pid_t tid, uint64_t *mask)
{
  return ptrace (PTRACE_GETSIGMASK, tid, (void *) sizeof *mask, mask) == 0;
}

bool
thread_set_mask (pid_t tid, uint64_t mask)
{
  return ptrace (PTRACE_SETSIGMASK, tid, (void *) sizeof mask, &mask) == 0;
}

int
thread_wait (pid_t tid, long deadline)
{
  sigset_t child;
  int status;
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  for (;;)
    {
      pid_t got
          = waitpid (tid, &status, __WALL | (deadline != 0 ? WNOHANG : 0));
      if (got == tid)
        return WIFSTOPPED (status) ? status : -1;
      if (got < 0 && errno != EINTR)
        return -1;
      if (got == 0)
        {
          if (thread_now () >= deadline)
            return 0;
          /* A stop sends the signal; if it was sent before, look again
             soon.  */
          sigtimedwait (&child, NULL, &(struct timespec){ .tv_nsec = 500000 });
        }
    }
}

bool
thread_is_event (int status, int event)
{
  return status >> 16 == event;
}

int
thread_to_pass_on (int status)
{
  int signal = WSTOPSIG (status);
  return status >> 16 != 0 || signal == THREAD_SYSCALL_STOP ? 0 : signal;
}
