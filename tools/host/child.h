/* Children of the command: run another program and read what it prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHILD_H
#define CHILD_H

/* Run ARGV.  With ENVIRONMENT NULL it has none but the PATH that systemd gives
   services, on which ARGV[0] is found: ours may be that of a service, whose
   owner is another user.  With another one ARGV[0] is found on our PATH.
   *OUTPUT, to be freed, is what it printed, to standard error, too, 16 MiB at
   most.  Returns its exit status, 128 plus the signal that ended it, or -1
   with errno set if it could not be run; then *OUTPUT is NULL.  */
extern int child_run (const char *const argv[], char *const environment[],
                      char **output);

#endif
