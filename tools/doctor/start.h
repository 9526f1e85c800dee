/* The rights and limits that a program started from here inherits.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader asks the same questions in every start (dl-hugetext-attempt.h).
   A child makes the trials, because a filter may kill for them.  */

#ifndef START_H
#define START_H

#include <stdbool.h>

struct start
{
  bool filtered; /* The program's system calls are filtered by seccomp.  */
  bool no_slack; /* The program's address space is limited.  */
  bool killed;   /* A filter kills the program if it makes memory
                    executable.  */
  /* Whether memory that was writable, and a memory file, may become
     executable.  */
  bool anonymous_text, file_text;
  /* The obstacle for memory that was writable, and its remedy.  */
  const char *refusal, *remedy;
};

/* Return the rights and limits, which are found out once.  */
extern const struct start *start_look (void);

/* Whether text may be copied at all.  */
extern bool start_may_copy (const struct start *start);

#endif
