/* The rights and limits that a program inherits which is started from here.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader finds the same out in every start (dl-hugetext-attempt.h).  What
   is tried is tried in a child: a filter may kill who asks.  */

#ifndef START_H
#define START_H

#include <stdbool.h>

struct start
{
  bool filtered; /* Its system calls are, by seccomp.  */
  bool no_slack; /* Its address space is limited.  */
  bool killed;   /* By a filter, if memory is to become executable.  */
  /* Memory that was writable, and a memory file, may become executable.  */
  bool anonymous_text, file_text;
  /* The obstacle to the first call, and its remedy.  */
  const char *refusal, *remedy;
};

/* Looked at once.  */
extern const struct start *start_look (void);

/* Whether text may be copied at all.  */
extern bool start_may_copy (const struct start *start);

#endif
