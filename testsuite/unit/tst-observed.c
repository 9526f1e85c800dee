/* Tests of records of a service: reading and writing their files, and finding
   a change of the CPU time per request if, and only if, there is one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-observed [RUNS] simulates RUNS records for each kind of noise.  */

#include "plan-test.h"
#include "noise.h"
#include "measure/compare.c"
#include "measure/observed.c"

/* Return the text of the file for RECORD; the caller frees it.  */
static char *
text_of (const struct observation *record)
{
  char *text;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  observed_write (stream, record);
  fclose (stream);
  return text;
}

static void
test_files (void)
{
  static struct observation record, again;
  strcpy (record.service, "postgresql@15-main.service");
  record.taken = 1795822222;
  record.huge = 5 << 20;
  record.small = 12345;
  record.count = 9;
  for (size_t i = 0; i < record.count; ++i)
    for (enum observed o = 0; o < OBSERVED; ++o)
      record.values[o][i] = o == OBSERVED_WAIT ? NAN : 0.25 * (i + o + 1);
  char *text = text_of (&record);
  EXPECT (observed_parse (text, &again));
  char *second = text_of (&again);
  EXPECT (strcmp (text, second) == 0);
  EXPECT (again.count == 9 && isnan (again.values[OBSERVED_WAIT][8])
          && again.values[OBSERVED_CPU][8] == 0.25 * 10);
  free (text);
  free (second);
  group_done ("files", 3);
}

static void
test_wrong_files (void)
{
  static const char *const wrong[] = {
    "",
    "hugetext-measure 2\nservice a\n",
    "hugetext-measure 1\n",
    "hugetext-measure 1\nservice a\nother 1\n",
    "hugetext-measure 1\nservice a\ntaken x\n",
    "hugetext-measure 1\nservice a\ntaken 1x\n",
    "hugetext-measure 1\nservice a\ntext 1\n",
    "hugetext-measure 1\nservice a\nslice 1 2 3 4 5\n",
    "hugetext-measure 1\nservice a\nslice 1 2 3 4 5 6 7\n",
    "hugetext-measure 1\nservice a\nslice 1 2 x 4 5 6\n",
    "hugetext-measure 1\nservice a\nslice 1 -2 3 4 5 6\n",
    "hugetext-measure 1\nservice a\nslice 1 nan 3 4 5 6\n",
    "hugetext-measure 1\nservice a\nslice 0 2 3 4 5 6\n",
    "hugetext-measure 1\nservice a\nslice - 2 3 4 5 6\n",
  };
  static struct observation record;
  const size_t count = sizeof wrong / sizeof *wrong;
  for (size_t i = 0; i < count; ++i)
    EXPECT (!observed_parse (wrong[i], &record));
  /* A name that is too long, and too many slices.  */
  char *text;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  fprintf (stream, "hugetext-measure 1\nservice %0*d\n", NAME_MAX + 1, 0);
  fclose (stream);
  EXPECT (!observed_parse (text, &record));
  free (text);
  stream = open_memstream (&text, &size);
  fputs ("hugetext-measure 1\nservice a\n", stream);
  for (size_t i = 0; i <= MEASURE_MOST; ++i)
    fputs ("slice 1 2 3 4 5 6\n", stream);
  fclose (stream);
  EXPECT (!observed_parse (text, &record));
  free (text);
  group_done ("wrong files", count + 2);
}

/* How a machine disturbs the CPU time of a slice, as in tst-compare.  */
struct noise
{
  const char *name;
  double own;    /* The standard deviation of the logarithm, for each slice
                    independently,  */
  double slow;   /* for disturbances that change slowly,  */
  double keeps;  /* and which part of these remains in the next slice;  */
  double hit;    /* and which share of slices is hit by an event that makes
                    them take  */
  double factor; /* this many times as long.  */
};

static const struct noise noises[] = {
  { "quiet", 0.02, 0, 0, 0, 1 },
  { "short disturbances", 0.02, 0.02, 0.5, 0, 1 },
  { "long disturbances", 0.02, 0.02, 0.8, 0, 1 },
  { "outliers", 0.02, 0, 0, 0.1, 3 },
};

/* Set RECORD to COUNT slices of a service under NOISE.  The requests arrive
   at random, and take EFFECT times the usual CPU time.  */
static void
simulate (struct observation *record, size_t count, double effect,
          const struct noise *noise, uint64_t *state)
{
  double load = noise->slow * normal (state);
  const double fresh = noise->slow * sqrt (1 - noise->keeps * noise->keeps);
  *record = (struct observation){ .service = "a.service",
                                  .huge = 1,
                                  .count = count };
  for (size_t i = 0; i < count; ++i)
    {
      const double requests = 2000 * (1 + uniform (state));
      load = noise->keeps * load + fresh * normal (state);
      double cost = 0.001 * effect * exp (load + noise->own * normal (state));
      if (uniform (state) < noise->hit)
        cost *= noise->factor;
      record->values[OBSERVED_SECONDS][i] = 3 + 0.01 * uniform (state);
      record->values[OBSERVED_REQUESTS][i] = floor (requests);
      record->values[OBSERVED_CPU][i] = requests * cost;
    }
}

/* If requests take five per cent more or less CPU time, this is found in all
   of twenty runs; if they take the same CPU time, no difference is found.
   Both results are required for records before and after a change, and for
   recordings that take turns in time slices.  An interval of 99 % is wrong in
   one case of a hundred, as test_coverage counts; with this seed, it is never
   wrong here.  */
static void
test_found (void)
{
  static struct observation base, with;
  uint64_t state = 6364136223846793005;
  struct comparison x;
  for (int pairs = 0; pairs < 2; ++pairs)
    for (int run = 0; run < 20; ++run)
      {
        const size_t count = pairs ? 20 : 40;
        simulate (&base, count, 1, &noises[0], &state);
        simulate (&with, count, 1.05, &noises[0], &state);
        EXPECT_EQUAL (observed_judge (&base, &with, pairs, &x), OBSERVED_MORE);
        EXPECT (x.low <= 1.05 && x.high >= 1.05);
        simulate (&with, count, 1, &noises[0], &state);
        EXPECT_EQUAL (observed_judge (&base, &with, pairs, &x), OBSERVED_EVEN);
        simulate (&with, count, 0.95, &noises[0], &state);
        EXPECT_EQUAL (observed_judge (&base, &with, pairs, &x), OBSERVED_LESS);
      }
  group_done ("five per cent", 2 * 20 * 3);
}

/* Shorten the pairs BASE and WITH to the smallest number of slices for which
   the interval is narrow enough: both ends are at most PERCENT from its
   middle.  The number is 20 plus a multiple of STEP.  If no number suffices,
   keep all slices.  Return the number.  */
static size_t
cut_within (struct observation *base, struct observation *with, size_t step,
            double percent)
{
  for (size_t n = 20; n <= MEASURE_MOST; n += step)
    {
      base->count = with->count = n;
      if (observed_is_within (base, with, true, percent))
        break;
    }
  return with->count;
}

/* On a busy machine twenty rounds are too few.  A recording that continues
   until the confidence interval is short enough finds the change.  */
static void
test_within (void)
{
  /* The noise is like that of slices of 3 seconds at a load of 35 on two
     processors.  */
  static const struct noise busy = { "busy", 0.04, 0.03, 0.5, 0.05, 1.5 };
  static struct observation base, with;
  uint64_t state = 1442695040888963407;
  size_t early = 0, rounds = 0;
  struct comparison x;
  for (int run = 0; run < 20; ++run)
    for (int more = 0; more < 2; ++more)
      {
        const double effect = more ? 1.05 : 1;
        simulate (&base, MEASURE_MOST, 1, &busy, &state);
        simulate (&with, MEASURE_MOST, effect, &busy, &state);
        base.count = with.count = 20;
        early += observed_judge (&base, &with, true, &x)
                 == (more ? OBSERVED_MORE : OBSERVED_EVEN);
        rounds += cut_within (&base, &with, 10, 2);
        EXPECT (observed_is_within (&base, &with, true, 2));
        EXPECT_EQUAL (observed_judge (&base, &with, true, &x),
                      more ? OBSERVED_MORE : OBSERVED_EVEN);
        EXPECT (x.low <= effect && x.high >= effect);
      }
  printf ("busy: %zu of 40 comparisons are right after 20 rounds, all are "
          "right after %zu rounds on average\n",
          early, rounds / 40);
  EXPECT (early < 40);
  /* On a quiet machine a few slices suffice.  */
  simulate (&base, MEASURE_MOST, 1, &noises[0], &state);
  simulate (&with, MEASURE_MOST, 1, &noises[0], &state);
  EXPECT (cut_within (&base, &with, 10, 2) <= 40);
  /* An interval that is unknown or unbounded is not within any limit.  */
  base.count = with.count = MEASURE_LEAST;
  EXPECT (!observed_is_within (&base, &with, false, 100));
  base.count = MEASURE_LEAST - 1;
  EXPECT (!observed_is_within (&base, &with, true, 100));
  group_done ("within", 20 * 2 * 3 + 4);
}

/* Simulate a service under NOISE.  Set BASE and WITH to slices that are
   recorded in turn, in the order of "hugetext measure --attach".  In WITH,
   requests take EFFECT times the usual CPU time.  */
static void
simulate_turns (struct observation *base, struct observation *with,
                double effect, const struct noise *noise, uint64_t *state)
{
  /* These are the slices in the order of time.  */
  static struct observation first, second;
  struct observation *const slices[2] = { &first, &second };
  struct observation *const sides[2] = { base, with };
  double load = noise->slow * normal (state);
  const double fresh = noise->slow * sqrt (1 - noise->keeps * noise->keeps);
  size_t before = 0;
  for (int k = 0; k < 2; ++k)
    simulate (slices[k], MEASURE_MOST, 1, &(struct noise){ .factor = 1 },
              state);
  *base = *with = first;
  for (size_t i = 0; i < MEASURE_MOST; ++i)
    {
      before = compare_first (i, before, uniform (state) < 0.5);
      for (size_t k = 0; k < 2; ++k)
        {
          const size_t side = k == 0 ? before : !before;
          double cost = side == 1 ? effect : 1;
          load = noise->keeps * load + fresh * normal (state);
          cost *= exp (load + noise->own * normal (state));
          if (uniform (state) < noise->hit)
            cost *= noise->factor;
          for (enum observed o = 0; o < OBSERVED; ++o)
            sides[side]->values[o][i] = slices[k]->values[o][i];
          sides[side]->values[OBSERVED_CPU][i] *= cost;
        }
    }
}

/* A recording in which two variants take turns ends when the interval is short
   enough.  Nevertheless, it finds a difference of five per cent; and if there
   is no difference, it finds one in at most as many cases as an interval of 99
   % allows.  */
static void
test_turns (size_t runs)
{
  static const struct noise noise = { "in turn", 0.02, 0.02, 0.8, 0.03, 1.5 };
  static struct observation base, with;
  uint64_t state = 88172645463325252;
  const double wrong = 1 - MEASURE_SURE / 100.0;
  const double most = wrong + 3 * sqrt (wrong * (1 - wrong) / runs);
  size_t more = 0, found = 0, rounds = 0;
  struct comparison x;
  for (size_t run = 0; run < runs; ++run)
    {
      simulate_turns (&base, &with, 1, &noise, &state);
      rounds += cut_within (&base, &with, 1, 2);
      more += observed_judge (&base, &with, true, &x) != OBSERVED_EVEN;
      simulate_turns (&base, &with, 1.05, &noise, &state);
      cut_within (&base, &with, 1, 2);
      found += observed_judge (&base, &with, true, &x) == OBSERVED_MORE;
    }
  printf ("in turn, %.0f rounds: a difference without cause in %.2f %%, "
          "5 %% found in %.2f %%\n",
          (double) rounds / runs, 100.0 * more / runs, 100.0 * found / runs);
  EXPECT (more <= most * runs);
  EXPECT (found >= (1 - most) * runs);
  group_done ("in turn", 2);
}

/* Without a ratio, the verdict is "unknown".  */
static void
test_unknown (void)
{
  static struct observation base, with;
  uint64_t state = 4101842887655102017;
  struct comparison x;
  simulate (&base, 20, 1, &noises[0], &state);
  simulate (&with, 20, 1, &noises[0], &state);
  with.huge = 0;
  EXPECT_EQUAL (observed_judge (&base, &with, false, &x),
                OBSERVED_NO_HUGE_TEXT);
  with.huge = 1;
  /* A slice without requests does not count.  */
  base.values[OBSERVED_REQUESTS][3] = 0;
  base.values[OBSERVED_CPU][3] = 7;
  EXPECT_EQUAL (observed_judge (&base, &with, true, &x), OBSERVED_EVEN);
  EXPECT (x.low > 0.9 && x.high < 1.1);
  /* If too many slices have no requests, the verdict is "unknown".  */
  for (size_t i = 0; i < 13; ++i)
    base.values[OBSERVED_REQUESTS][i] = 0;
  EXPECT_EQUAL (observed_judge (&base, &with, true, &x), OBSERVED_UNKNOWN);
  EXPECT_EQUAL (observed_judge (&base, &with, false, &x), OBSERVED_UNKNOWN);
  /* If no slice has requests, or their number is unknown, values are compared
     per second.  */
  for (size_t i = 0; i < 20; ++i)
    with.values[OBSERVED_REQUESTS][i] = NAN;
  EXPECT (!observed_has_requests (&base, &with));
  EXPECT (observed_figure (&with, 0, FIGURE_CPU, false)
          == with.values[OBSERVED_CPU][0] / with.values[OBSERVED_SECONDS][0]);
  /* There are too few slices for a bounded interval, and the two groups are
     equal.  */
  simulate (&base, 8, 1, &noises[2], &state);
  simulate (&with, 8, 1, &noises[2], &state);
  EXPECT (observed_compare (&base, &with, false, FIGURE_CPU, &x));
  EXPECT (comparison_is_even (&x));
  group_done ("what is not known", 9);
}

/* For records that are not pairs, the interval contains the true ratio as
   often as it claims, even if successive slices are correlated.  */
static void
test_coverage (size_t runs)
{
  static struct observation base, with;
  uint64_t state = 2862933555777941757;
  const double sure = MEASURE_SURE / 100.0;
  const double least = sure - 3 * sqrt (sure * (1 - sure) / runs);
  for (size_t i = 0; i < sizeof noises / sizeof *noises; ++i)
    for (size_t count = 20; count <= 40; count += 20)
      {
        size_t holds = 0, found = 0;
        for (size_t run = 0; run < runs; ++run)
          {
            struct comparison x;
            simulate (&base, count, 1, &noises[i], &state);
            simulate (&with, count, 1.05, &noises[i], &state);
            EXPECT (observed_compare (&base, &with, false, FIGURE_CPU, &x));
            holds += x.low <= 1.05 && x.high >= 1.05;
            found += !comparison_is_even (&x);
          }
        printf ("%s, %zu slices: holds in %.2f %%, finds 5 %% in %.2f %%\n",
                noises[i].name, count, 100.0 * holds / runs,
                100.0 * found / runs);
        EXPECT (holds >= least * runs);
      }
  group_done ("coverage", 2 * sizeof noises / sizeof *noises * runs);
}

int
main (int argc, char **argv)
{
  test_files ();
  test_wrong_files ();
  test_found ();
  test_within ();
  test_unknown ();
  const size_t runs = argc > 1 ? strtoul (argv[1], NULL, 10) : 500;
  test_turns (runs);
  test_coverage (runs);
  return 0;
}
