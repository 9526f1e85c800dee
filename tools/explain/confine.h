/* The confinement of a rehearsed process, which may run anybody's code.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONFINE_H
#define CONFINE_H

#include "util/problem.h"

#include <sys/types.h>

/* Confine this child of PARENT, which is to become a rehearsal, for its rest:
   it is nobody if it was root, has no rights, makes only the system calls of a
   loader, and ends with PARENT, or after SECONDS of CPU time.  It can read
   files, and write to what is open already, but change no file, reach no other
   process and no network, and start no process.  False with PROBLEM set if
   that is not possible: then it must not execute anything.  */
extern bool confine (pid_t parent, int seconds, struct problem *problem);

#endif
