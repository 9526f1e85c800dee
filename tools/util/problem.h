/* Problems: the text that says what went wrong.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>

/* One line, without a newline; "" where nothing is wrong.  It belongs to the
   caller of a function that may fail: that sets it and returns false.  */
struct problem
{
  char text[2048];
};

/* Set PROBLEM to what printf makes of FORMAT.  Returns false, for the caller
   to return.  */
extern bool problem_set (struct problem *problem, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Set PROBLEM to SUBJECT and the text for errno.  Returns false.  */
extern bool problem_errno (struct problem *problem, const char *subject);

/* Take over TEXT of a function that returns NULL or what is wrong.  Returns
   whether it is NULL.  */
extern bool problem_take (struct problem *problem, const char *text);

#endif
