/* Tests of the rules of the closed loop.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#include "adapt/rule.c"

static void
done (void)
{
  static const struct
  {
    double most, every;
    size_t rounds, quiet;
    enum adapt_end end;
  } cases[] = {
    { 0, 0, 1, 0, ADAPT_GOES_ON },  { 0, 0, 1, 1, ADAPT_GOES_ON },
    { 0, 0, 2, 2, ADAPT_SETTLED },  { 0, 0, 900, 1, ADAPT_GOES_ON },
    { 0, 60, 9, 9, ADAPT_GOES_ON }, { 1, 0, 1, 0, ADAPT_ROUNDS },
    { 3, 60, 3, 3, ADAPT_ROUNDS },  { 3, 0, 2, 1, ADAPT_GOES_ON },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      const struct adapt_request request
          = { .rounds = cases[i].most, .every = cases[i].every };
      EXPECT_EQUAL (adapt_is_done (&request, cases[i].rounds, cases[i].quiet),
                    cases[i].end);
    }
  group_done ("when it is done", count);
}

static void
quiet (void)
{
  static const struct
  {
    struct adapt_round round;
    bool quiet;
  } cases[] = {
    { { .samples = 768 }, true },
    { { .samples = 767 }, false },
    { { .samples = 0 }, false },
    { { .samples = 9999, .change.added = 1 }, false },
    { { .samples = 9999, .change.taken_back = 1 }, false },
    /* What cannot be had is not asked for without an end.  */
    { { .samples = 9999, .change.wanted = 1 }, true },
    { { .samples = 9999, .problem.text = "x" }, false },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQUAL (adapt_is_quiet (&cases[i].round), cases[i].quiet);
  group_done ("rounds that have changed nothing", count);
}

/* With the pause the command has taken PERCENT, or less.  */
static void
pauses (void)
{
  unsigned long int count = 0;
  for (double cpu = 0; cpu < 3; cpu += 0.25)
    for (double elapsed = 1; elapsed < 1000; elapsed *= 3)
      for (double percent = 0.25; percent <= 100; percent *= 2)
        for (double every = 0; every <= 60; every += 30, ++count)
          {
            const double pause = adapt_pause (cpu, elapsed, percent, every);
            const double all = (elapsed + pause) * percent / 100;
            EXPECT (pause >= every && cpu <= all * 1.0001);
            EXPECT (pause == every || cpu >= all * 0.9999);
          }
  group_done ("pauses", count);
}

/* After a round with too few samples the next one takes as long as enough
   take, within a limit.  */
static void
seconds (void)
{
  static const struct
  {
    double seconds;
    uint64_t samples;
    double first, next;
  } cases[] = {
    { 10, 768, 10, 10 }, { 10, 20000, 10, 10 }, { 10, 480, 10, 20 },
    { 20, 960, 10, 20 }, { 10, 0, 10, 160 },    { 10, 6, 10, 160 },
    { 160, 0, 10, 160 }, { 0.5, 96, 0.5, 5 },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT (adapt_seconds (cases[i].seconds, cases[i].samples, cases[i].first)
            == cases[i].next);
  group_done ("how long to sample", count);
}

int
main (void)
{
  done ();
  quiet ();
  pauses ();
  seconds ();
  return 0;
}
