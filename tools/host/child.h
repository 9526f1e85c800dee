/* Children of the command: other programs whose output it reads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHILD_H
#define CHILD_H

/* Run ARGV.  The program's environment is only the PATH that systemd gives
   services, on which ARGV[0] is searched: this process's PATH may be that of a
   service of another user.  Set *OUTPUT to the program's standard output and
   error, at most 16 MiB, which the caller frees.  Return the exit status; 127
   with a line in *OUTPUT if the program cannot be executed; 128 plus the
   signal that ended it; or -1 with errno set and *OUTPUT NULL if there is no
   child.  */
extern int child_run (const char *const argv[], char **output);

/* Likewise, in a process group of its own, so that the terminal's signals,
   which make the caller stop its work, do not end this program.  */
extern int child_run_apart (const char *const argv[], char **output);

#endif
