/* The witness: a process that tells signals to the process group of the
   command from signals to the command alone.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process that gets a signal cannot see whether others have got it too.  A
   signal may go to the whole process group: a user types ^C or "kill -TERM
   -GROUP", or systemd stops the service.  A program that the command has
   started then receives the signal directly, and the command must not send the
   signal to the program again.  If the signal was sent to the command alone,
   the command must pass the signal on to the program.

   The witness is a child in the same process group and control group, and
   blocks all signals.  The witness notes which signals it gets, and when.  In
   a process group, the kernel sends a signal to younger processes first, so
   the witness gets the signal before the command.  When systemd stops a
   service, it signals the processes of the control group one after the other.
   Therefore, if the command asks about a signal that the witness has not got,
   the witness waits 20 ms for the signal.

   The witness has its own name, so that "pkill hugetext" does not find
   it.  */

#ifndef UTIL_WITNESS_H
#define UTIL_WITNESS_H

#include <stdbool.h>

/* Start the witness, unless it is running.  The witness ends when this process
   ends.  Call this function before another process gets the signals that
   witness_ask is about.  */
extern void witness_begin (void);

/* Call this function in a handler of SIGNAL, while all signals that have this
   handler are blocked.  Return 1 if the witness (the child process that notes
   signals to the process group) has also got SIGNAL, 0 if it has not, and -1
   if there is no witness.  */
extern int witness_ask (int signal);

#endif
