/* Files of a process's user: a child with only the user's rights writes to a
   file in the process's own /tmp.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All users may write to /tmp and make links there, and a user controls the
   /tmp that his own processes see.  So only a process without more rights than
   the user accesses that /tmp.  The command waits for the child with a
   timeout, because a filesystem's server may not answer.  */

#ifndef USERFILE_H
#define USERFILE_H

#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

/* The file perf-PID.map of a process.  */
struct userfile
{
  int process;   /* The pidfd of the process, opened before the inspection.  */
  pid_t pid;     /* The process ID, as the command knows it.  */
  char path[64]; /* The path of the file for the process.  */
  bool added;    /* Lines were added.  */
};

/* Append the lines of TEXT that FILE lacks to FILE, whose process ID is set.
   Set FILE's other members.  A program that writes names of its own generated
   code may have the same file open.  A new file belongs to the process's user,
   and no other user may read it, because the addresses of a process are
   confidential.  False with PROBLEM set if that failed.  */
extern bool userfile_append (struct userfile *file, const char *text,
                             struct problem *problem);

#endif
