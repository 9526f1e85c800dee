/* The confinement of a dry run's process, which may run untrusted code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONFINE_H
#define CONFINE_H

#include "util/problem.h"

#include <sys/types.h>

/* Confine this child of PARENT, which will execute a program for a dry run.
   If the child was root, it becomes the user nobody.  The child becomes
   unprivileged, and can make only the system calls of a loader.  The child
   ends when PARENT ends, or after SECONDS of CPU time.  The child can read
   files, and write to descriptors that are already open, but cannot change a
   file, reach another process or a network, or start a process.  Return false
   and set PROBLEM if the child cannot be confined; the caller must not execute
   the program in a child that is not confined.  */
extern bool confine (pid_t parent, int seconds, struct problem *problem);

#endif
