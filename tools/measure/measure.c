/* The rounds of a measurement.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measure/measure.h"
#include "util/exit-status.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

/* Report how a run of VARIANT in ROUND, 0 before the first, ended, if that
   ends the measurement.  Return an exit status, 0 if all is well.  */
static int
judge (const struct measurement *m, const struct variant *variant,
       size_t round, const struct run_result *result)
{
  const int status = result->status;
  char when[64] = "before the first round";
  if (round > 0)
    snprintf (when, sizeof when, "in round %zu", round);
  if (WIFSIGNALED (status))
    launch_say ("%s, %s, was ended by signal %d (%s) %s", m->command[0],
                variant->name, WTERMSIG (status),
                strsignal (WTERMSIG (status)), when);
  else if (WEXITSTATUS (status) != 0)
    launch_say ("%s, %s, ended with status %d %s", m->command[0],
                variant->name, WEXITSTATUS (status), when);
  else if (result->no_number)
    launch_say ("%s, %s, did not print a number first %s: must, for --number",
                m->command[0], variant->name, when);
  else
    return 0;
  return (WIFSIGNALED (status)        ? 128 + WTERMSIG (status)
          : WEXITSTATUS (status) != 0 ? WEXITSTATUS (status)
                                      : STATUS_PARTLY);
}

/* Run variant C once, WATCHED or not.  Return an exit status, 0 if all is
   well.  */
static int
run (const struct measurement *m, size_t c, size_t round, bool watched,
     struct run_result *result)
{
  const struct run_plan plan
      = { .counters = &m->counters, .number = m->number, .watched = watched };
  const char *problem = measure_run (&m->variants[c], &plan, result);
  if (problem == NULL)
    return judge (m, &m->variants[c], round, result);
  launch_say ("%s: %s", m->command[0], problem);
  return STATUS_PARTLY;
}

static bool
toss (void)
{
  unsigned char byte = 0;
  return (getrandom (&byte, sizeof byte, GRND_NONBLOCK) == sizeof byte
          && byte % 2 == 1);
}

/* Look at variant C's text in a run that does not count.  On a busy machine a
   short program may end before the look: then it runs again.  Return an exit
   status.  */
static int
look (struct measurement *m, size_t c)
{
  const unsigned int most = 3;
  struct run_result result = { .status = 0 };
  int status = 0;
  for (unsigned int i = 0;
       status == 0 && i < most && result.family.processes == 0; ++i)
    status = run (m, c, 0, true, &result);
  m->families[c] = result.family;
  return status;
}

int
measure (struct measurement *m)
{
  struct run_result result;
  size_t first = 0;
  int status = 0;
  for (size_t c = 0; status == 0 && c < 2; ++c)
    status = look (m, c);
  for (size_t round = 0; status == 0 && round < m->rounds; ++round)
    {
      first = compare_first (round, first, toss ());
      for (size_t i = 0; status == 0 && i < 2; ++i)
        {
          size_t c = i == 0 ? first : !first;
          status = run (m, c, round + 1, false, &result);
          m->runs[c][round] = result.values;
        }
    }
  return status;
}
