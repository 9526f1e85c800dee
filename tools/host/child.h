/* Child processes in which the command runs other programs; the command reads
   their output.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHILD_H
#define CHILD_H

#include <signal.h>

/* Run the program ARGV[0] with the arguments ARGV.  The environment of the
   program contains only PATH, with the value that systemd sets for services.
   Look up the program in systemd's PATH, because the PATH of this process may
   come from another user's service.  Set *OUTPUT to what the program writes to
   standard output and standard error, at most 16 MiB.  The caller frees
   *OUTPUT.  Kill the program if it has not closed its output and exited within
   SECONDS, or when the time limit for the command's advice has passed
   (util/patience.h).  Return the program's exit status.  If the program cannot
   be executed, return 127, and set *OUTPUT to a line that says why.  If a
   signal has ended the program, return 128 plus the signal's number.  If no
   child could be made, or the child's exit status is unknown, or the time
   limit has passed (errno is ETIME), set errno, set *OUTPUT to NULL, and
   return -1.  */
extern int child_run (const char *const argv[], int seconds, char **output);

/* Run the program and arguments ARGV like child_run, but in a process group of
   its own.  A signal from the terminal then does not reach the program, but
   only the caller, which stops its work.  After SECONDS, or when *STOP becomes
   nonzero (unless STOP is NULL), send SIGTERM to the group.  If the group has
   not ended half a minute later, send SIGKILL.  If *STOP was the reason, set
   errno to EINTR.  */
extern int child_run_apart (const char *const argv[], int seconds,
                            const volatile sig_atomic_t *stop, char **output);

/* Return the time limit, in whole seconds, of the program that child_run ran
   last.  The limit was less than the argument SECONDS of child_run if the
   command had less time left to find out which advice to print
   (util/patience.h).  */
extern int child_limit (void);

#endif
