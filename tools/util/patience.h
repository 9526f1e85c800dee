/* The time limit for the advice of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Before the command advises a verb, it asks whether the verb would be
   refused.  Processes may have mapped any number of files, and systemd or a
   filesystem may not answer.  Therefore all questions of a run of the command
   together have one time limit.  */

#ifndef UTIL_PATIENCE_H
#define UTIL_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The time limit for all questions together, in seconds.  */
#define PATIENCE_LIMIT 5

/* Begin a question.  Return false if the time limit has been reached, so that
   the answer remains unknown.  If the function returns true, the caller calls
   patience_end after the answer.  The command may have to ask further
   questions to answer one question.  */
extern bool patience_begin (void);
extern void patience_end (void);

/* Return the milliseconds that are left for the question that has begun, at
   least 0.  If no question has begun, there is no limit, so return -1.  */
extern int64_t patience_left (void);

#endif
