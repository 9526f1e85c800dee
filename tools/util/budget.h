/* The budget: how much time and memory the inspection of processes may use.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BUDGET_H
#define BUDGET_H

#include "util/problem.h"

#include <stdbool.h>
#include <stddef.h>

/* Begin the inspection of a process (budget_begin).  From now on, until the
   next call of budget_begin or budget_end, charge to this inspection the CPU
   time of the calling process, including time in the kernel, and the bytes
   that budget_spend adds.  */
extern void budget_begin (void);
extern void budget_end (void);

/* Make all children that are forked from now on share the budget of this run.
   If there is no memory for a shared budget, each child has a budget of its
   own.  */
extern void budget_share (void);

/* Charge SIZE bytes to the inspection that budget_begin has begun.  If the
   bytes or the time exceed the budget, set errno to EDQUOT and return false.
   After one call has failed, all calls before the next budget_begin return
   false as well.  */
extern bool budget_spend (size_t size);

/* Return false and set PROBLEM if the inspection must end.  */
extern bool budget_check (struct problem *problem);

#endif
