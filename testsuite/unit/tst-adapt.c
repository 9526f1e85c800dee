/* Tests of the rules of "hugetext adapt": when its loop of rounds ends, how
   long rounds and pauses are, and how samples are added up.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#include "adapt/history.c"
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
  group_done ("when the rounds end", count);
}

static void
quiet (void)
{
  static const struct
  {
    struct adapt_round round;
    bool quiet;
  } cases[] = {
    { { .samples = 192, .known = 768 }, true },
    { { .samples = 192, .known = 767 }, false },
    { { .known = 0 }, false },
    /* The loop has paused.  */
    { { .samples = 191, .known = 9999 }, false },
    { { .samples = 999, .known = 9999, .change.added = 1 }, false },
    { { .samples = 999, .known = 9999, .change.taken_back = 1 }, false },
    /* If a wanted block cannot become huge, the loop does not try for
       ever.  */
    { { .samples = 999, .known = 9999, .change.wanted = 1 }, true },
    { { .samples = 999, .known = 9999, .problem.text = "x" }, false },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQUAL (adapt_is_quiet (&cases[i].round), cases[i].quiet);
  group_done ("rounds that have changed nothing", count);
}

/* With the pause, the command has used at most PERCENT of the time.  */
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

/* The loop does not pause while it has too few samples of a busy process.  */
static void
every (void)
{
  static const struct
  {
    uint64_t samples, known;
    double every, pause;
  } cases[] = {
    { 192, 192, 60, 0 },
    { 767, 767, 60, 0 },
    { 192, 767, 60, 0 },
    { 192, 768, 60, 60 },
    { 768, 768, 60, 60 },
    { 20000, 20000, 60, 60 },
    /* The process does little, or nothing.  */
    { 191, 191, 60, 60 },
    { 0, 0, 60, 60 },
    { 0, 9999, 60, 60 },
    { 500, 500, 0, 0 },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT (adapt_every (cases[i].samples, cases[i].known, cases[i].every)
            == cases[i].pause);
  group_done ("pauses between rounds", count);
}

/* After a round with too few samples, the next round lasts as long as is
   needed for enough samples, up to a limit.  After a round with more samples
   than needed, the next round is shorter, but not shorter than the first.  */
static void
seconds (void)
{
  static const struct
  {
    double seconds;
    uint64_t samples, known;
    double first, next;
  } cases[] = {
    { 10, 768, 768, 10, 10 },
    { 10, 20000, 20000, 10, 10 },
    { 10, 480, 480, 10, 20 },
    { 20, 960, 960, 10, 20 },
    { 20, 800, 800, 10, 20 },
    { 10, 0, 0, 10, 160 },
    { 10, 6, 6, 10, 160 },
    { 160, 0, 0, 10, 160 },
    { 0.5, 96, 96, 0.5, 5 },
    /* Together with the history, there are enough samples.  */
    { 10, 192, 768, 10, 10 },
    { 80, 192, 9999, 10, 80 },
    { 10, 384, 767, 10, 9600.0 / 767 },
    /* The history does not tell the share of samples on huge pages in this
       round.  */
    { 10, 191, 9999, 10, 9600.0 / 191 },
    { 10, 0, 9999, 10, 160 },
    /* The program has paused, and is busy again.  */
    { 160, 1920, 1920, 10, 80 },
    { 160, 15360, 15360, 10, 10 },
    { 160, 99999, 99999, 10, 10 },
    { 160, 1920, 9999, 10, 80 },
    { 20, 9600, 9600, 20, 20 },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT (adapt_seconds (cases[i].seconds, cases[i].samples, cases[i].known,
                           cases[i].first)
            == cases[i].next);
  group_done ("how long to sample", count);
}

/* How much the samples of earlier rounds count.  */
static void
history (void)
{
  static const struct
  {
    double old;
    uint64_t new;
    double last, now, keep;
  } cases[] = {
    /* The first round.  */
    { 0, 1000, 0, 40, 1 },
    { 1000, 1000, 90, 91, 1 },
    { 1000, 1000, 90, 80, 1 },
    /* Other text has become hot.  */
    { 1000, 1000, 90, 78, 0 },
    { 1000, 1000, 40, 0, 0 },
    { 1000, 1000, 0, 0, 1 },
    /* There are too few samples to tell.  */
    { 1000, 192, 90, 60, 0 },
    { 1000, 191, 90, 60, 1 },
    /* The weight of the old samples is limited: together they count at most
       three times as much as the new samples, or as the samples that are
       needed if these are more.  */
    { 3000, 1000, 90, 90, 1 },
    { 6000, 1000, 90, 90, 0.5 },
    { 4608, 0, 90, 0, 0.5 },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT (
        adapt_keep (cases[i].old, cases[i].new, cases[i].last, cases[i].now)
        == cases[i].keep);
  group_done ("the weight of earlier samples", count);
}

/* Return how many samples HISTORY has for the granule at ADDRESS of the file
   INODE, or -1 if it does not have the file.  */
static double
weight_at (const struct history *history, ino_t inode, uint64_t address)
{
  const struct history_object like = { .device = 1, .inode = inode };
  const struct history_object *object = history_find_object (history, &like);
  if (object == NULL)
    return -1;
  return (address >= object->first && address < history_find_end (object)
              ? history->weights[object->at
                                 + (address - object->first) / PROFILE_GRANULE]
              : 0);
}

/* When the samples of several rounds are added, the ranges of a file are
   united, files that a round has not seen stay, and samples that no longer
   count are removed.  */
static void
rounds (void)
{
  static struct history first, second, third;
  enum
  {
    G = PROFILE_GRANULE
  };
  uint32_t a[] = { 10, 20 }, later[] = { 1, 2, 3 }, b[] = { 7 };
  struct sampled_object one
      = { .device = 1,
          .inode = 5,
          .profile = { .first = 4 * G, .count = 2, .weights = a } };
  struct sampled_object other
      = { .device = 1,
          .inode = 6,
          .profile = { .first = 0, .count = 1, .weights = b } };
  struct sampled_object unseen = { .device = 1, .inode = 7 };
  struct sampled_object *objects[] = { &one, &unseen, &other };
  struct sampling sampling = { .objects = objects, .nobjects = 3, .text = 37 };
  history_add (&first, 1, &sampling, &second);
  EXPECT_EQUAL (second.count, 2);
  EXPECT (second.samples == 37);
  EXPECT (weight_at (&second, 5, 5 * G) == 20);
  EXPECT (weight_at (&second, 7, 0) == -1);

  one.profile
      = (struct profile){ .first = 2 * G, .count = 3, .weights = later };
  sampling = (struct sampling){ .objects = objects, .nobjects = 1, .text = 6 };
  history_add (&second, 0.5, &sampling, &third);
  EXPECT_EQUAL (third.count, 2);
  EXPECT (third.samples == 24.5);
  EXPECT (weight_at (&third, 5, 2 * G) == 1);
  EXPECT (weight_at (&third, 5, 4 * G) == 3 + 5);
  EXPECT (weight_at (&third, 5, 5 * G) == 10);
  EXPECT (weight_at (&third, 6, 0) == 3.5);
  static struct attach_heats heats; /* The caller does not free these.  */
  heats = history_heats (&third);
  EXPECT_EQUAL (heats.count, 2);
  EXPECT_EQUAL (heats.samples, 24);
  EXPECT_EQUAL (heats.list[0].heat.first, 2 * G);
  EXPECT_EQUAL (heats.list[0].heat.granules, 4);
  EXPECT_EQUAL (heats.list[0].heat.weight[0], (65535 * 2 + 48) / 49);

  history_add (&second, 0, &sampling, &third);
  EXPECT_EQUAL (third.count, 1);
  EXPECT (third.samples == 6 && weight_at (&third, 5, 5 * G) == 0);

  /* If a file has more granules than a history can hold, only the number of
     its samples counts.  */
  later[0] = 9;
  one.profile.count = HISTORY_GRANULES + 1;
  history_add (&second, 0, &sampling, &third);
  EXPECT_EQUAL (third.count, 0);
  EXPECT (third.samples == 6);
  group_done ("rounds add up", 4);
}

/* Test a file that was replaced by another build, and samples at addresses
   that no object can have.  */
static void
replaced (void)
{
  static struct history first, second, third;
  enum
  {
    G = PROFILE_GRANULE
  };
  uint32_t weights[] = { 10, 20 };
  struct sampled_object one
      = { .device = 1,
          .inode = 5,
          .profile = { .first = 4 * G, .count = 2, .weights = weights } };
  struct sampled_object *objects[] = { &one };
  const struct sampling sampling
      = { .objects = objects, .nobjects = 1, .text = 30 };
  history_add (&first, 1, &sampling, &second);
  strcpy (one.profile.build_id, "other");
  history_add (&second, 1, &sampling, &third);
  EXPECT_EQUAL (third.count, 1);
  EXPECT (weight_at (&third, 5, 5 * G) == 20);
  EXPECT (third.samples == 30);

  /* The end address of the second object, and of both together, overflows to
     0.  */
  strcpy (one.profile.build_id, "");
  one.profile.first = -(uint64_t) (2 * G);
  history_add (&second, 1, &sampling, &third);
  EXPECT_EQUAL (third.count, 1);
  EXPECT (weight_at (&third, 5, 5 * G) == 20);
  one.profile.first = -(uint64_t) G;
  history_add (&second, 1, &sampling, &third);
  EXPECT_EQUAL (third.count, 1);
  EXPECT (weight_at (&third, 5, 5 * G) == 20);
  group_done ("files that have been replaced", 3);
}

int
main (void)
{
  rounds ();
  replaced ();
  history ();
  done ();
  quiet ();
  pauses ();
  every ();
  seconds ();
  return 0;
}
