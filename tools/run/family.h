/* The text of a process and all that it has started.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FAMILY_H
#define FAMILY_H

#include "text/report.h"

#include <sys/types.h>

struct family
{
  size_t processes; /* Of which text was seen in use.  */
  struct text_sums sums;
  size_t part; /* Memory, with shared pages in proportion (Pss), bytes.  */
};

/* Look at PID and its children, and theirs.  MEMORY: also what they take, for
   which the kernel walks all of it.  */
extern void family_look (pid_t pid, bool memory, struct family *family);

/* Add PID alone to FAMILY.  */
extern void family_add (pid_t pid, bool memory, struct family *family);

#endif
