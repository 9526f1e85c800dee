/* The budget of an inspection: the time and memory that inspecting processes
   may take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BUDGET_H
#define BUDGET_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>

/* Begin to charge a process.  Until budget_end or the next call, the process
   is charged with this process's CPU time, including time in the kernel, and
   with the bytes that this process reads or keeps.  */
extern void budget_begin (void);
extern void budget_end (void);

/* Make children forked from now on share this run's budget.  If there is no
   memory for that, each has a budget of its own.  */
extern void budget_share (void);

/* Charge SIZE bytes.  Once the bytes or the time exceed the budget, return
   false with errno EDQUOT until the next budget_begin.  */
extern bool budget_spend (size_t size);

/* Return false if the inspection must stop.  */
extern bool budget_check (struct problem *problem);

#endif
