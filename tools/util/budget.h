/* The budget of an inspection: the time and memory that looking at processes
   may take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BUDGET_H
#define BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* Begin to charge a process.  Until budget_end or the next beginning
   the process is charged with our time on the CPU, in the kernel, too, and
   with the bytes that this process reads or keeps.  */
extern void budget_begin (void);
extern void budget_end (void);

/* Have children that are forked from now on spend of the same run's.  Without
   memory for that, each has a run of its own.  */
extern void budget_share (void);

/* Charge SIZE bytes.  False, with errno EDQUOT, if the bytes or the time are
   too much; then always, until the next beginning.  */
extern bool budget_spend (size_t size);

/* Return why the inspection stops; NULL if it goes on.  */
extern const char *budget_problem (void);

#endif
