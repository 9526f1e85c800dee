/* The budget of an inspection: how long looking at processes may take.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BUDGET_H
#define BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Begin to look at a process of OWNER.  Until budget_end or the next beginning
   what is looked at is charged: our time on the CPU, the kernel's for us
   included, and bytes that we read or keep.  */
extern void budget_begin (uid_t owner);
extern void budget_end (void);

/* Charge SIZE bytes.  False, with errno EDQUOT, if that or the time is too
   much, from then on until another process is begun with.  */
extern bool budget_spend (size_t size);

/* Why no more is looked at; NULL if that is not so.  */
extern const char *budget_problem (void);

#endif
