/* Problems: texts that say what went wrong.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* If the text is too long, omit its end, because its beginning says what the
   problem is about.  */

bool
problem_set (struct problem *problem, const char *format, ...)
{
  /* Write to another struct first, because an argument may be PROBLEM's own
     text.  */
  struct problem new = { .code = PROBLEM_PLAIN };
  va_list ap;
  va_start (ap, format);
  vsnprintf (new.text, sizeof new.text, format, ap);
  va_end (ap);
  *problem = new;
  return false;
}

bool
problem_from (struct problem *problem, const struct problem *cause,
              const char *format, ...)
{
  struct problem new = { .code = cause->code, .fault = cause->fault };
  va_list ap;
  va_start (ap, format);
  vsnprintf (new.text, sizeof new.text, format, ap);
  va_end (ap);
  *problem = new;
  return false;
}

bool
problem_set_fault (struct problem *problem, enum problem_fault fault,
                   const char *text)
{
  problem_set (problem, "%s", text);
  problem->fault = fault;
  return false;
}

bool
problem_unknown (struct problem *problem, const char *format, ...)
{
  static const char word[] = "unknown: ";
  struct problem new = { .code = PROBLEM_UNKNOWN };
  va_list ap;
  strcpy (new.text, word);
  va_start (ap, format);
  vsnprintf (new.text + sizeof word - 1, sizeof new.text - sizeof word + 1,
             format, ap);
  va_end (ap);
  *problem = new;
  return false;
}

bool
problem_is_of_file (int error)
{
  return (error == ENOENT || error == ENOTDIR || error == EACCES
          || error == EPERM || error == ELOOP || error == ENAMETOOLONG
          || error == ENXIO || error == ENODEV);
}

bool
problem_errno (struct problem *problem, const char *subject)
{
  return problem_set (problem, "%s: %s", subject, strerror (errno));
}

/* Return true if ERROR means that there was a lack of memory or descriptors,
   or that a signal has interrupted the call.  */
static bool
problem_is_temporary (int error)
{
  return (error == EMFILE || error == ENFILE || error == ENOMEM
          || error == EAGAIN || error == EINTR);
}

bool
problem_system (struct problem *problem, int error)
{
  problem_set (problem, "%s", strerror (error));
  if (problem_is_temporary (error))
    problem->code = PROBLEM_MOMENTARY;
  else if (!problem_is_of_file (error))
    problem->code = PROBLEM_UNKNOWN;
  return false;
}
