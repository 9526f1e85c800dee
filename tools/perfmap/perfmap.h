/* Maps for perf: the addresses of functions whose text is a copy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf looks up an address that maps no file in /tmp/perf-PID.map.  Each line
   there has the address and the size of a function, in hexadecimal, and its
   name.  */

#ifndef PERFMAP_H
#define PERFMAP_H

#include "util/message.h"
#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

enum
{
  PERFMAP_NAME = 1024, /* The maximum bytes of a name; C++ names are long.  */
};

/* In the inspector, answer a question about the functions of a process whose
   text is copied.  The question is the process ID.  */
extern void perfmap_answer (struct message *asked, struct message *answer);

/* Write the map of process PID, and print a line about it.  False with PROBLEM
   set if that failed.  */
extern bool perfmap_write (pid_t pid, struct problem *problem);

#endif
