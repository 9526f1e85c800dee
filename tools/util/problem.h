/* Problems: texts that say what went wrong.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>

/* A problem: one line without a newline, "" if nothing is wrong.  The caller
   of a function that may fail owns it; the function sets it and returns false.
   No code compares the text: callers that need the kind of problem use
   CODE.  */
struct problem
{
  enum problem_code
  {
    PROBLEM_PLAIN,
    PROBLEM_UNKNOWN,   /* The command could not find out whether something is
                          wrong.  */
    PROBLEM_MOMENTARY, /* Nor could it here, but it may find out soon: it
                          lacked memory or descriptors.  */
    PROBLEM_CODES
  } code;
  char text[2048];
};

/* What a function has returned, for another process.  PROBLEM says nothing
   after success: a function that tries again, or in another way, may succeed
   after it has set the problem.  */
struct result
{
  bool good;
  struct problem problem;
};

/* Return whether RESULT is good; if not, set PROBLEM to its problem.  */
static inline bool
result_take (const struct result *result, struct problem *problem)
{
  if (!result->good)
    *problem = result->problem;
  return result->good;
}

/* Whether something is wrong.  Only for a problem that is cleared first and
   set once.  */
static inline bool
problem_is (const struct problem *problem)
{
  return problem->text[0] != '\0';
}

/* Set PROBLEM by FORMAT, as printf does.  Return false, for the caller to
   return.  */
extern bool problem_set (struct problem *problem, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Set PROBLEM as problem_set does, with the code PROBLEM_UNKNOWN.  Return
   false.  */
extern bool problem_unknown (struct problem *problem, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Whether ERROR, of a call that opens a file, says that the file is missing,
   refused, or a device or socket.  All other errors may have other causes,
   such as a lack of memory or a disk that fails.  */
extern bool problem_is_of_file (int error);

/* Set PROBLEM to SUBJECT and the text for errno.  Return false.  */
extern bool problem_errno (struct problem *problem, const char *subject);

/* Set PROBLEM to the text for ERROR, a value of errno, with the code
   PROBLEM_MOMENTARY if the same call may succeed soon, and PROBLEM_UNKNOWN if
   ERROR may have another cause than a file.  Return false.  */
extern bool problem_system (struct problem *problem, int error);

#endif
