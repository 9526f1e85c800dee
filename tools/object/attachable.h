/* Advice: would "hugetext attach" or "hugetext adapt" accept a process?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECT_ATTACHABLE_H
#define OBJECT_ATTACHABLE_H

#include "object/reason.h"

/* The function that answers what "hugetext attach" and "hugetext adapt" would
   do; programs pass it to reason_ask_with (object/reason.h).  */
extern reason_asker attachable_ask;

/* Return the exit status by which the program hugetext-attach gives
   ANSWER.  */
extern int attachable_status (enum reason_answer answer);

#endif
