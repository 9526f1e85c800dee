/* Signals: handlers of the command's signals, and signals to its children.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/signals.h"
#include "util/witness.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process does when it gets a signal.  */
enum way
{
  LEAVE, /* The command has not changed the handling of the signal.  */
  CATCH, /* signals_catch has installed a handler for the signal.  */
  PASS,  /* signals_pass_on has installed a handler for the signal.  */
};

/* For each signal, how this process handles it.  */
static enum way ways[NSIG];

static void
signals_install_handler (int number, signals_handler *handler, enum way way)
{
  struct sigaction action
      = { .sa_sigaction = handler,
          .sa_flags = SA_SIGINFO | (way == PASS ? SA_RESTART : 0) };
  sigemptyset (&action.sa_mask);
  if (way == PASS)
    sigfillset (&action.sa_mask);
  if (sigaction (number, &action, NULL) == 0)
    ways[number] = way;
}

void
signals_catch (const int *numbers, size_t count, signals_handler *handler)
{
  for (size_t i = 0; i < count; ++i)
    signals_install_handler (numbers[i], handler, CATCH);
}

void
signals_pass_on (const int *numbers, size_t count, signals_handler *handler)
{
  witness_begin ();
  for (size_t i = 0; i < count; ++i)
    {
      struct sigaction old;
      if (sigaction (numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        signals_install_handler (numbers[i], handler, PASS);
    }
}

void
signals_default (int number)
{
  signal (number, SIG_DFL);
  raise (number);
}

/* In a child of the command: the handler of signals that the command passes on
   to a program.  The handler does nothing, so that a signal to the whole
   process group does not end the child.  A child does not use SIG_IGN, because
   a program that the child executes would inherit SIG_IGN, but execve resets a
   handler to the default action.  */
static void
pass_over (int number, siginfo_t *info, void *context)
{
  (void) number;
  (void) info;
  (void) context;
}

void
signals_begin_child (void)
{
  for (int number = 1; number < NSIG; ++number)
    if (ways[number] == PASS)
      signals_install_handler (number, pass_over, PASS);
    else if (ways[number] == CATCH)
      {
        signal (number, SIG_DFL);
        ways[number] = LEAVE;
      }
}

/* Return true if CHILD is a child of this process for which this process has
   not waited yet.  Until this process has waited for a child, the kernel does
   not give the child's ID to another process or process group.  */
static bool
signals_is_own_child (pid_t child)
{
  siginfo_t info;
  return (child > 0
          && waitid (P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0);
}

bool
signals_send (pid_t child, int number)
{
  const int error = errno;
  const bool sent = signals_is_own_child (child) && kill (child, number) == 0;
  errno = error;
  return sent;
}

bool
signals_pass (pid_t child, const siginfo_t *info)
{
  const int has = witness_ask (info->si_signo);
  /* Without the witness, only signals from the kernel count as sent to the
     process group.  */
  const bool group = has < 0 ? info->si_code > 0 : has == 1;
  return signals_send (
      child, group && getpgid (child) == getpgrp () ? 0 : info->si_signo);
}

bool
signals_send_group (pid_t child, int number)
{
  return signals_is_own_child (child) && kill (-child, number) == 0;
}
