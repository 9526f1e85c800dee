/* Problems: texts that say what went wrong.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>

/* A problem: one line without a newline, or "" if nothing is wrong.  A
   function that may fail has a parameter PROBLEM.  On failure, the function
   stores a description of the problem in PROBLEM and returns false.  No code
   compares the text: callers that need to know the kind of the problem use the
   member CODE.  */
struct problem
{
  enum problem_code
  {
    PROBLEM_PLAIN,
    PROBLEM_UNKNOWN,   /* The command was unable to find out whether something
                          is wrong.  */
    PROBLEM_MOMENTARY, /* The command was unable to find out whether something
                          is wrong, because it lacked memory or descriptors.
                          If the command tries again later, it may succeed.  */
    PROBLEM_CODES
  } code;
  /* The cause of the problem, which shows who can solve it.  A caller that
     knows the cause, and what the user wanted to do, can add a remedy to the
     message.  */
  enum problem_fault
  {
    FAULT_OTHER,
    FAULT_MOUNT,   /* Root does not trust the filesystem of the file.  */
    FAULT_READERS, /* Not every user may read the file at its path.  */
    FAULT_WRITERS, /* Users other than root can change the file, or the path to
                      it.  */
    PROBLEM_FAULTS
  } fault;
  char text[2048];
};

/* The answer to a yes-or-no question.  If the question could not be answered,
   the answer is TRUTH_UNKNOWN, which is neither yes nor no.  The answer is a
   structure, so that the compiler refuses code that uses it as a truth
   value.  */
struct truth
{
  enum
  {
    TRUTH_UNKNOWN,
    TRUTH_NO,
    TRUTH_YES
  } is;
};

static inline struct truth
truth_of (bool yes)
{
  return (struct truth){ yes ? TRUTH_YES : TRUTH_NO };
}

/* An attribute of functions that return false if they are unable to get the
   facts that their caller asks for.  The compiler warns about callers that
   ignore the result.  A caller that ignored the result would take an empty
   list or text to mean that there is nothing.  */
#define MAY_BE_UNKNOWN __attribute__ ((warn_unused_result))

/* The result of a function, in a form that one process can send to another.
   If GOOD is true, PROBLEM has no meaning, because a function may set PROBLEM
   and then succeed in another way.  */
struct result
{
  bool good;
  struct problem problem;
};

/* Return whether RESULT is good.  If RESULT is not good, set PROBLEM to the
   problem in RESULT.  */
static inline bool
result_take (const struct result *result, struct problem *problem)
{
  if (!result->good)
    *problem = result->problem;
  return result->good;
}

/* Return true if PROBLEM has been set.  Use this function only if PROBLEM was
   cleared before, and has been set at most once since then.  */
static inline bool
problem_is (const struct problem *problem)
{
  return problem->text[0] != '\0';
}

/* Set PROBLEM to the text that printf would print for FORMAT.  Return false,
   so that a caller that fails can return the value of this function.  */
extern bool problem_set (struct problem *problem, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* Set PROBLEM to the text that printf would print for FORMAT, with the code
   and the fault of CAUSE.  CAUSE may be PROBLEM itself.  If the new text
   contains the text of CAUSE, use this function in place of problem_set, so
   that a caller who adds words keeps the code of CAUSE, such as
   PROBLEM_UNKNOWN.  Return false.  */
extern bool problem_from (struct problem *problem, const struct problem *cause,
                          const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* Set PROBLEM to TEXT, with the fault FAULT.  Return false.  */
extern bool problem_set_fault (struct problem *problem,
                               enum problem_fault fault, const char *text);

/* Set PROBLEM to the text that printf would print for FORMAT, with the code
   PROBLEM_UNKNOWN.  Return false.  */
extern bool problem_unknown (struct problem *problem, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* ERROR is the error number of an attempt to open a file.  Return true if
   ERROR means that the file is missing, that this user must not open the file,
   or that the file is a device or socket.  Return false for an error whose
   cause may be something other than the file, such as a lack of memory or a
   disk failure.  */
extern bool problem_is_of_file (int error);

/* Set PROBLEM to SUBJECT, followed by the text for errno.  Return false.  */
extern bool problem_errno (struct problem *problem, const char *subject);

/* Set PROBLEM to the text for the error number ERROR.  Set the code of PROBLEM
   to PROBLEM_MOMENTARY if the same call may succeed later, and to
   PROBLEM_UNKNOWN if ERROR may have another cause than the file.  Return
   false.  */
extern bool problem_system (struct problem *problem, int error);

#endif
