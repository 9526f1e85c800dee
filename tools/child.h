/* Run another program, and have what it prints.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHILD_H
#define CHILD_H

/* Run ARGV, found on PATH, with ENVIRONMENT, or ours if that is NULL.
   *OUTPUT, to be freed, is all that it printed, to standard error, too.
   Returns its exit status, 128 plus the signal that ended it, or -1 with
   errno set if it could not be run; then *OUTPUT is NULL.  */
extern int child_run (const char *const argv[], char *const environment[],
                      char **output);

#endif
