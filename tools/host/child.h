/* Children of the command: other programs whose output it reads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHILD_H
#define CHILD_H

/* Run ARGV.  The program's environment is only the PATH that systemd gives
   services, and ARGV[0] is searched on it: this process's PATH may come from
   another user's service.  Set *OUTPUT to the program's standard output and
   error, at most 16 MiB, which the caller frees.  Return the exit status; 127
   with a line in *OUTPUT if the program cannot be executed; 128 plus the
   signal that ended it; or -1 with errno set and *OUTPUT NULL if no child
   could be made, or if its exit status is unknown.  */
extern int child_run (const char *const argv[], char **output);

/* Run ARGV as child_run does, but in a separate process group, so that the
   terminal's signals, which make the caller stop its work, do not end the
   program.  */
extern int child_run_apart (const char *const argv[], char **output);

#endif
