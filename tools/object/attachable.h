/* Advice: would "hugetext attach" or "hugetext adapt" accept a process?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECT_ATTACHABLE_H
#define OBJECT_ATTACHABLE_H

#include "object/reason.h"

/* The function that answers what "hugetext attach" and "hugetext adapt" would
   do; programs pass it to reason_ask_with (object/reason.h).  */
extern reason_asker attachable_ask;

/* Return false and set PROBLEM if hugetext-attach cannot put the text of a
   static program that this process executes on huge pages (run/helper.h).  */
extern bool attachable_at_start (struct problem *problem);

/* Return the exit status by which the program hugetext-attach gives
   ANSWER.  */
extern int attachable_status (enum reason_answer answer);

#endif
