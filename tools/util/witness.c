/* The witness: a process that tells signals to the process group of the
   command from signals to the command alone.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAME "signal-witness"

enum
{
  WAIT = 20,   /* The number of milliseconds for which the witness waits for a
                  signal that the command has already got.  */
  LIMIT = 500, /* The number of milliseconds after which the command no longer
                  waits for the witness, which may be stopped.  */
};

struct question
{
  unsigned int number; /* The number of the question.  */
  int signal;          /* The signal, or in the answer 1 or 0.  */
};

/* The socket to the witness, or -1.  */
static int witness = -1;

/* In the witness, change the command line of this process to NAME.  The kernel
   shows the memory in which it has put the arguments of the command.  */
static void
rename_self (void)
{
  char line[4096];
  prctl (PR_SET_NAME, NAME, 0, 0, 0);
  const int fd = open ("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd >= 0 ? read (fd, line, sizeof line) : 0;
  char *first = program_invocation_name;
  if (size > (ssize_t) sizeof NAME && strnlen (line, size) == strlen (first)
      && memcmp (line, first, strlen (first)) == 0)
    {
      memset (first, '\0', size);
      memcpy (first, NAME, sizeof NAME);
    }
}

/* Answer the questions that come over SOCKET, until the command has ended.  */
static void __attribute__ ((noreturn)) answer (int socket)
{
  const struct timespec limit = { .tv_nsec = WAIT * 1000000 };
  struct question question;
  while (read (socket, &question, sizeof question) == sizeof question)
    {
      sigset_t set;
      sigemptyset (&set);
      sigaddset (&set, question.signal);
      question.signal = sigtimedwait (&set, NULL, &limit) == question.signal;
      if (send (socket, &question, sizeof question, MSG_NOSIGNAL) < 0)
        break;
    }
  _exit (0);
}

/* In the witness, whose socket is SOCKET: keep nothing open that others wait
   for, and end with the process PARENT.  */
static void __attribute__ ((noreturn))
become_witness (int socket, pid_t parent)
{
  rename_self ();
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  dup2 (socket, STDIN_FILENO);
  syscall (SYS_close_range, STDIN_FILENO + 1, ~0U, 0);
  /* Without close_range (before Linux 5.9), do not hold the command's
     output.  */
  close (STDOUT_FILENO);
  close (STDERR_FILENO);
  if (getppid () == parent)
    answer (STDIN_FILENO);
  _exit (0);
}

void
witness_begin (void)
{
  int ends[2];
  sigset_t all, old;
  const pid_t parent = getpid ();
  if (witness >= 0
      || socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  /* The witness inherits the mask, so no signal can reach it before it has
     blocked all signals.  */
  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, &old);
  /* Call fork itself and not output_fork, which asks util/signals.  The
     witness handles no signal, and writes nothing.  */
  const pid_t pid = (fork) ();
  if (pid == 0)
    become_witness (ends[1], parent);
  sigprocmask (SIG_SETMASK, &old, NULL);
  close (ends[1]);
  if (pid > 0)
    witness = ends[0];
  else
    close (ends[0]);
}

int
witness_ask (int signal)
{
  static unsigned int number;
  const int error = errno;
  struct question question = { ++number, signal }, got = { 0, -1 };
  struct pollfd event = { .fd = witness, .events = POLLIN };
  bool good = witness >= 0
              && send (witness, &question, sizeof question, MSG_NOSIGNAL) > 0;
  /* The answer to an earlier question may have come late.  */
  while (good && got.number != number)
    good = poll (&event, 1, LIMIT) > 0
           && read (witness, &got, sizeof got) == sizeof got;
  errno = error;
  return good ? got.signal : -1;
}
