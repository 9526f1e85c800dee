/* The time limit for the advice of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Before the command advises the user to run a verb, the command determines
   whether the verb would refuse the process, file or service.  Processes may
   have mapped any number of files, and systemd or a filesystem may not answer.
   Therefore there is a limit on the total time for which a run of the command
   checks its advice.  */

#ifndef UTIL_PATIENCE_H
#define UTIL_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The time limit for all questions together, in seconds.  */
#define PATIENCE_LIMIT 5

/* Call patience_begin before the command checks whether a verb would refuse a
   process, file or service.  If the time limit for advice has been reached,
   patience_begin returns false, and the caller must not check whether the verb
   would refuse.  If patience_begin returns true, the caller must call
   patience_end after the check.  Between patience_begin and patience_end, the
   caller may call both functions for other checks.  */
extern bool patience_begin (void);
extern void patience_end (void);

/* Between patience_begin and patience_end, return how many milliseconds are
   left for checking the command's advice, at least 0.  When patience_end has
   been called for each patience_begin, there is no time limit, so return
   -1.  */
extern int64_t patience_left (void);

#endif
