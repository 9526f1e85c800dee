/* A family: a process and its descendants, and the text of all of them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FAMILY_H
#define FAMILY_H

#include "text/report.h"

#include <sys/types.h>

struct family
{
  size_t processes; /* Number of processes with text in use.  */
  struct text_sums sums;
  size_t part; /* Memory in bytes, with shared pages in proportion (Pss).  */
};

/* Look at PID and its descendants.  MEMORY: also at their memory, through all
   of which the kernel walks.  */
extern void family_look (pid_t pid, bool memory, struct family *family);

/* Add PID alone to FAMILY.  */
extern void family_add (pid_t pid, bool memory, struct family *family);

#endif
