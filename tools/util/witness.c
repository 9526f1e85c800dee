/* The witness: a helper process that finds out whether a signal was sent to
   the whole process group of the command or only to the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/witness.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME "signal-witness"

enum
{
  WAIT = 20,    /* How many milliseconds the witness waits for a signal that
                   the command has already received.  */
  RECENT = 250, /* If the witness received a signal more than this number of
                   milliseconds before the question, the signal was sent only
                   to the witness.  */
  LIMIT = 500,  /* The number of milliseconds after which the command no longer
                   waits for the witness, which may be stopped.  */
};

struct question
{
  unsigned int number; /* The number of the question.  */
  int signal;          /* In a question the signal, in an answer 1 or 0.  */
};

/* The socket to the witness, or -1.  */
static int witness = -1;

/* Set the name of the witness process, in its command line, to NAME.  The
   kernel shows the memory in which it has put the arguments of the
   command.  */
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

/* The time at which the witness has got each signal, or 0, in milliseconds. */
static int64_t got[NSIG];

/* Note the signals that the witness has got, according to SIGNALS (signalfd).
   If the witness has got no signal, wait for at most MILLISECONDS.  Return
   false if no signal has come.  */
static bool
note_signals (int signals, int milliseconds)
{
  struct signalfd_siginfo info;
  struct pollfd event = { .fd = signals, .events = POLLIN };
  if (poll (&event, 1, milliseconds) <= 0)
    return false;
  if (read (signals, &info, sizeof info) == sizeof info
      && info.ssi_signo < NSIG)
    got[info.ssi_signo] = clock_milliseconds ();
  return true;
}

/* Return true if the witness has just got SIGNAL, or gets it soon.  */
static bool
has_signal (int signals, int signal)
{
  const int64_t now = clock_milliseconds (), end = now + WAIT;
  while (note_signals (signals, 0))
    continue;
  for (int64_t left = WAIT; got[signal] < now - RECENT && left > 0;
       left = end - clock_milliseconds ())
    note_signals (signals, left);
  const bool has = got[signal] >= now - RECENT;
  got[signal] = INT64_MIN;
  return has;
}

/* Answer the questions that come over SOCKET, until the command has ended.  */
static void __attribute__ ((noreturn)) witness_answer_questions (int socket)
{
  sigset_t all;
  struct question question;
  sigfillset (&all);
  const int signals = signalfd (-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  struct pollfd events[] = { { .fd = socket, .events = POLLIN },
                             { .fd = signals, .events = POLLIN } };
  for (int i = 0; i < NSIG; ++i)
    got[i] = INT64_MIN;
  while (signals >= 0 && poll (events, 2, -1) > 0)
    {
      if (events[0].revents == 0)
        {
          note_signals (signals, 0);
          continue;
        }
      if (read (socket, &question, sizeof question) != sizeof question)
        break;
      question.signal = has_signal (signals, question.signal);
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
    witness_answer_questions (STDIN_FILENO);
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
  struct question question = { ++number, signal }, said = { 0, -1 };
  struct pollfd event = { .fd = witness, .events = POLLIN };
  bool good = witness >= 0
              && send (witness, &question, sizeof question, MSG_NOSIGNAL) > 0;
  /* The answer to an earlier question may have come late.  */
  while (good && said.number != number)
    good = poll (&event, 1, LIMIT) > 0
           && read (witness, &said, sizeof said) == sizeof said;
  errno = error;
  return good ? said.signal : -1;
}
