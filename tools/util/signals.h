/* Signals: handlers of the command's signals, and signals to its children.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef UTIL_SIGNALS_H
#define UTIL_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A function that handles a signal of this process.  */
typedef void signals_handler (int signal, siginfo_t *info, void *context);

/* Call HANDLER when this process gets one of the COUNT signals NUMBERS.  The
   signal interrupts the system call that is running.  In children that this
   process forks later, the signal has its default effect: it ends the
   child.  */
extern void signals_catch (const int *numbers, size_t count,
                           signals_handler *handler);

/* Install HANDLER for the COUNT signals NUMBERS, except signals that this
   process ignores.  HANDLER passes the signal on to another process.  The
   system call that is running is restarted.  Children that this process forks
   later do nothing when they get one of these signals, because the signals are
   not meant for the children.  While HANDLER runs, all signals are
   blocked.  */
extern void signals_pass_on (const int *numbers, size_t count,
                             signals_handler *handler);

/* In a handler: let SIGNAL have its default effect on this process.  */
extern void signals_default (int signal);

/* In a child that this process has just made by fork: replace the handlers of
   its parent.  Only output_fork calls this function.  */
extern void signals_begin_child (void);

/* Send SIGNAL to the process CHILD, or, if SIGNAL is 0, send nothing.  Return
   false if CHILD is not a child of this process, or if this process has
   already waited for CHILD: the kernel may have given the ID to another
   process.  Only functions of this file send signals (doc/rights).  A handler
   may call this function.  */
extern bool signals_send (pid_t child, int signal);

/* In a handler that signals_pass_on has installed: pass the signal that INFO
   describes on to CHILD, unless CHILD has already got it, because it was sent
   to the process group or the control group of this process.  Return false in
   the same cases as signals_send.  */
extern bool signals_pass (pid_t child, const siginfo_t *info);

/* Send SIGNAL to the process group whose ID is the process ID of CHILD.
   Return false as signals_send does.  */
extern bool signals_send_group (pid_t child, int signal);

#endif
