/* Files of a process's user: a child with the user's rights, and no others,
   writes to a file in the process's own /tmp.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All users may write to /tmp, and make links there, and a user chooses what
   his processes have there.  So nothing that has more rights than the
   process's user looks at it, and the command waits for the child with a
   limit: a file system's server may not answer.  */

#ifndef USERFILE_H
#define USERFILE_H

#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

/* The file perf-PID.map of a process.  */
struct userfile
{
  int process;   /* The pidfd of the process, from before it was looked at.  */
  pid_t pid;     /* The process, as the command knows it.  */
  char path[64]; /* The path that the process knows the file by.  */
  bool added;    /* Some lines were not there yet.  */
};

/* Append the lines of TEXT that are not there yet to FILE, whose process ID is
   set: a program that writes the names of its own code to it may have it open.
   Set its other fields.  A new file belongs to the process's user, and nobody
   else may read it, because addresses of a process are nobody else's business.
   False with PROBLEM set if that failed.  */
extern bool userfile_append (struct userfile *file, const char *text,
                             struct problem *problem);

#endif
