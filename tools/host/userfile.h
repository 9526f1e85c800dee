/* Write to a file in the directory that an inspected process sees as /tmp.  A
   child process with only the rights of the inspected process's user writes
   the file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All users may write to /tmp and make links there, and a user can choose
   which directory his own processes see as /tmp.  Therefore the process that
   opens files in /tmp has only the rights of the inspected process's user.
   The command waits for the child with a timeout, because the server of a
   filesystem may not answer.  */

#ifndef USERFILE_H
#define USERFILE_H

#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

/* The file perf-PID.map for a process.  */
struct userfile
{
  int process;   /* The pidfd of the process, which the command has opened
                    before inspecting it.  */
  pid_t pid;     /* The process's ID in the command's PID namespace.  */
  char path[64]; /* The path of the file, as the process sees it.  */
  bool added;    /* True if userfile_append has added lines.  */
};

/* Append to FILE those lines of TEXT that FILE does not contain yet.  The
   caller sets the members PROCESS and PID of FILE; this function sets the
   other members.  The program itself may have the same file open, because
   programs that generate code write the names of this code to the file.  A
   new file belongs to the user of the process.  No other user may read the
   file, because the addresses of a process are confidential.  On failure set
   PROBLEM and return false.  */
extern bool userfile_append (struct userfile *file, const char *text,
                             struct problem *problem);

#endif
