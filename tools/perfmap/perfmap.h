/* Maps for perf: files with the addresses of functions whose text is a copy.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If an address is not in a mapping of a file, perf looks the address up in
   /tmp/perf-PID.map.  Each line of this file consists of the address of a
   function, its size (both in hexadecimal), and its name.  */

#ifndef PERFMAP_H
#define PERFMAP_H

#include "util/message.h"
#include "util/problem.h"

#include <stdbool.h>
#include <sys/types.h>

enum
{
  PERFMAP_NAME = 1024, /* The maximum length of a name in bytes; names in C++
                          are long.  */
};

/* In the inspector, find the functions of a process whose text is a copy.
   The question ASKED contains the process ID.  */
extern void perfmap_answer (struct message *asked, struct message *answer);

/* Write the map of process PID, and print a line about it.  On failure set
   PROBLEM and return false.  */
extern bool perfmap_write (pid_t pid, struct problem *problem);

#endif
