/* The time limit for the advice of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Before the command advises the user to run a verb, the command determines
   whether the verb would refuse the process, file or service.  Processes may
   have mapped any number of files, and systemd or a filesystem may not answer.
   Therefore there is one time limit for answering all these questions in a run
   of the command.  */

#ifndef UTIL_PATIENCE_H
#define UTIL_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The time limit for all questions together, in seconds.  */
#define PATIENCE_LIMIT 5

/* Begin a question.  If the time limit has been reached, return false, and the
   caller must not look for the answer.  If the function returns true, the
   caller must call patience_end when it has the answer.  While it looks for
   the answer, the caller may begin and end further questions.  */
extern bool patience_begin (void);
extern void patience_end (void);

/* Return the milliseconds that are left for the question that has begun, at
   least 0.  Return -1 if no question has begun, because there is no time limit
   then.  */
extern int64_t patience_left (void);

#endif
