/* A traced thread: its registers and its stops.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The wait status of a stop shows which kind of stop it is (ptrace(2)):

     an event stop   the cause is PTRACE_INTERRUPT, or a stop of the whole
                     thread group
     a system call   SIGTRAP | 0x80: the stop before or after the call
     a signal        any other status: the signal is delivered when the
                     thread continues  */

#include "tracee/thread.h"
#include "util/clock.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

long
thread_now (void)
{
  return clock_nanoseconds ();
}

void
thread_rest (long nanoseconds)
{
  struct timespec rest
      = { nanoseconds / 1000000000, nanoseconds % 1000000000 };
  while (nanosleep (&rest, &rest) != 0 && errno == EINTR)
    continue;
}

bool
thread_request (enum __ptrace_request what, pid_t tid, unsigned long data)
{
  return ptrace (what, tid, NULL, (void *) data) == 0;
}

/* The place to which the signal handler jumps if a system call takes too
   long.  */
static sigjmp_buf too_late;
static volatile sig_atomic_t waiting;

static void
thread_give_up_thread (int signal)
{
  (void) signal;
  if (waiting)
    siglongjmp (too_late, 1);
}

bool
thread_seize (pid_t tid, unsigned long options)
{
  enum
  {
    PATIENCE = 5000, /* Microseconds.  */
  };
  const struct itimerval soon = { { 0, PATIENCE }, { 0, PATIENCE } };
  const struct itimerval never = { { 0, 0 }, { 0, 0 } };
  const struct sigaction action = { .sa_handler = thread_give_up_thread };
  struct sigaction before;
  sigset_t alarm, mask;
  volatile bool late = false, good = false;
  volatile int error = 0;
  sigaction (SIGALRM, &action, &before);
  sigemptyset (&alarm);
  sigaddset (&alarm, SIGALRM);
  sigprocmask (SIG_UNBLOCK, &alarm, &mask);
  if (sigsetjmp (too_late, 1) == 0)
    {
      waiting = true;
      setitimer (ITIMER_REAL, &soon, NULL);
      good = thread_request (PTRACE_SEIZE, tid, options);
      error = errno;
    }
  else
    late = true;
  waiting = false;
  setitimer (ITIMER_REAL, &never, NULL);
  sigprocmask (SIG_SETMASK, &mask, NULL);
  sigaction (SIGALRM, &before, NULL);
  /* The signal of the timer may have come just after PTRACE_SEIZE has
     succeeded.  */
  if (late)
    {
      good = waitid (P_PID, tid, &(siginfo_t){ 0 },
                     WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL)
             == 0;
      error = ETIMEDOUT;
    }
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

/* Call kcmp(2).  Return 0 if ONE and OTHER share their memory, a positive
   number if they do not, or a negative number if the kernel gives no
   answer.  */
static long
compare_memory (pid_t one, pid_t other)
{
  enum
  {
    KCMP_VM = 1, /* A constant from <linux/kcmp.h>.  kcmp exists from Linux
                    3.5 on, if the kernel was built with it.  */
  };
  return syscall (SYS_kcmp, one, other, KCMP_VM, 0UL, 0UL);
}

bool
thread_has_memory_of (pid_t one, pid_t other)
{
  return compare_memory (one, other) == 0;
}

bool
thread_is_elsewhere (pid_t one, pid_t other)
{
  return compare_memory (one, other) > 0;
}

bool
thread_read (int memory, uintptr_t address, void *to, size_t size)
{
  return pread (memory, to, size, address) == (ssize_t) size;
}

bool
thread_write (int memory, uintptr_t address, const void *from, size_t size)
{
  return pwrite (memory, from, size, address) == (ssize_t) size;
}

void
thread_block_child (void)
{
  sigset_t child;
  sigemptyset (&child);
  sigaddset (&child, SIGCHLD);
  sigprocmask (SIG_BLOCK, &child, NULL);
  signal (SIGCHLD, SIG_DFL);
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
          /* Each stop sends SIGCHLD.  The kernel may have sent the SIGCHLD of
             this stop before sigtimedwait began, so call waitpid again
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

int
thread_go_on (pid_t tid, int status, long deadline)
{
  do
    {
      if (!thread_request (PTRACE_CONT, tid, thread_to_pass_on (status)))
        return -1;
      status = thread_wait (tid, deadline);
    }
  while (status > 0 && !thread_is_event (status, PTRACE_EVENT_STOP));
  return status;
}
