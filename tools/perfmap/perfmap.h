/* Maps for perf: the names of functions whose text is a copy, by address.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   perf looks up an address in memory without a file in /tmp/perf-PID.map,
   where each line has the address and the size of a function in hexadecimal,
   and its name.  */

#ifndef PERFMAP_H
#define PERFMAP_H

#include "util/message.h"
#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

enum
{
  PERFMAP_NAME = 1024, /* Bytes of a name: C++'s are long.  */
};

/* Answer a question about the functions of a process whose text is copied, in
   the inspector: the process ID.  */
extern void perfmap_answer (struct message *asked, struct message *answer);

/* Write the map of process PID, and say so.  False with PROBLEM set if that
   failed.  */
extern bool perfmap_write (pid_t pid, struct problem *problem);

#endif
