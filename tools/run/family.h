/* Inspect the text of a family: a process with all its descendants.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FAMILY_H
#define FAMILY_H

#include "text/report.h"

#include <sys/types.h>

struct family
{
  size_t processes; /* The number of processes that have text in use.  */
  struct text_sums sums;
};

/* Inspect PID and its descendants.  */
extern void family_look (pid_t pid, struct family *family);

#endif
