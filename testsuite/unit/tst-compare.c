/* Tests of the comparison of pairs: with known data, and how often the
   interval contains the true ratio.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-compare [RUNS] simulates RUNS comparisons of each kind.  */

#include "plan-test.h"
#include "noise.h"
#include "measure/compare.c"

#include <string.h>

static bool
near (double a, double b)
{
  return fabs (a - b) < 1e-9;
}

static void
test_quantiles (void)
{
  const double values[] = { 4, 1, NAN, 3, 2 };
  EXPECT (near (compare_quantile (values, 5, 0.5), 2.5));
  EXPECT (near (compare_quantile (values, 5, 0), 1));
  EXPECT (near (compare_quantile (values, 5, 1), 4));
  EXPECT (near (compare_quantile (values, 5, 0.25), 1.75));
  EXPECT (isnan (compare_quantile (values, 0, 0.5)));
  EXPECT (isnan (compare_quantile (values + 2, 1, 0.5)));
  group_done ("quantiles", 6);
}

/* Two-sided, 0.5 %: values from tables of the signed-rank test, as in
   Wilcoxon and Wilcox, Some Rapid Approximate Statistical Procedures
   (1964).  */
static void
test_critical (void)
{
  static const struct
  {
    size_t count;
    long value;
  } cases[] = { { 7, -1 },  { 8, 0 },    { 9, 1 },    { 10, 3 },
                { 11, 5 },  { 12, 7 },   { 15, 15 },  { 20, 37 },
                { 25, 68 }, { 30, 109 }, { 40, 220 }, { 50, 373 } };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQUAL (critical_value (cases[i].count, 0.005), cases[i].value);
  group_done ("critical values", count);
}

static void
test_known (void)
{
  struct comparison c;
  double base[MEASURE_MOST], with[MEASURE_MOST];
  for (size_t i = 0; i < MEASURE_MOST; ++i)
    {
      base[i] = 2;
      with[i] = 3;
    }
  /* All pairs have the same ratio.  */
  EXPECT (compare_pairs (base, with, 8, &c));
  EXPECT (near (c.ratio, 1.5) && near (c.low, 1.5) && near (c.high, 1.5));
  EXPECT (!comparison_is_even (&c));
  EXPECT (compare_pairs (base, with, MEASURE_MOST, &c) && near (c.ratio, 1.5));
  /* With 8 pairs, the interval extends from the smallest to the largest
     ratio.  */
  for (size_t i = 0; i < 8; ++i)
    with[i] = 2 * exp (0.01 * ((double) i - 3));
  EXPECT (compare_pairs (base, with, 8, &c));
  EXPECT (near (c.ratio, exp (0.005)) && near (c.low, exp (-0.03))
          && near (c.high, exp (0.04)));
  EXPECT (comparison_is_even (&c));
  /* One outlier among twenty pairs changes the estimate by less than its
     share.  */
  for (size_t i = 0; i < 20; ++i)
    with[i] = 1.8 * exp (0.001 * (double) (i % 5));
  with[3] = 40;
  EXPECT (compare_pairs (base, with, 20, &c));
  EXPECT (c.ratio > 0.9 && c.ratio < 0.905 && c.high < 1);
  with[5] = 0;
  EXPECT (!compare_pairs (base, with, 20, &c));
  with[5] = NAN;
  EXPECT (!compare_pairs (base, with, 20, &c));
  group_done ("known data", 11);
}

/* How a machine disturbs measured times.  */
struct noise
{
  const char *name;
  double own;    /* The standard deviation of the logarithm of each run's time,
                    independent of other runs.  */
  double slow;   /* The same for other load, which changes slowly.  */
  double keeps;  /* The part of this load that remains in the next run.  */
  double drift;  /* The trend from run to run.  */
  double hit;    /* The share of the runs that an event makes longer.  */
  double factor; /* The factor by which the event makes them longer.  */
};

static const struct noise noises[] = {
  { "quiet", 0.01, 0, 0, 0, 0, 1 },
  { "a load that comes and goes", 0.01, 0.15, 0.95, 0, 0, 1 },
  { "a trend", 0.01, 0, 0, 0.01, 0, 1 },
  { "outliers", 0.01, 0, 0, 0, 0.1, 3 },
  { "all of it", 0.03, 0.15, 0.9, 0.003, 0.1, 2 },
};

/* Compare two variants in ROUNDS rounds under NOISE.  The second variant takes
   EFFECT times as long as the first variant.  */
static struct comparison
simulate (const struct noise *noise, size_t rounds, double effect,
          uint64_t *state)
{
  double values[2][MEASURE_MOST], load = noise->slow * normal (state);
  const double fresh = noise->slow * sqrt (1 - noise->keeps * noise->keeps);
  struct comparison comparison;
  size_t first = 0, run = 0;
  for (size_t round = 0; round < rounds; ++round)
    {
      first = compare_first (round, first, next_random (state) >> 63);
      for (size_t i = 0; i < 2; ++i, run++)
        {
          load = noise->keeps * load + fresh * normal (state);
          double time
              = exp (noise->own * normal (state) + load + noise->drift * run);
          if (uniform (state) < noise->hit)
            time *= noise->factor;
          size_t which = i == 0 ? first : !first;
          values[which][round] = time * (which == 1 ? effect : 1);
        }
    }
  EXPECT (compare_pairs (values[0], values[1], rounds, &comparison));
  return comparison;
}

/* The interval contains the true ratio as often as it claims, no matter what
   the machine does, and equal variants are rarely found to differ.  */
static void
test_coverage (size_t runs)
{
  static const struct
  {
    size_t rounds;
    double effect;
  } kinds[] = { { 8, 1 }, { 20, 1 }, { 20, 0.8 } };
  uint64_t state = 4101842887655102017;
  size_t cases = 0;
  /* Because of chance, allow a deviation of three standard deviations of the
     share.  */
  const double sure = MEASURE_SURE / 100.0;
  const double least = sure - 3 * sqrt (sure * (1 - sure) / runs);
  for (size_t i = 0; i < sizeof noises / sizeof noises[0]; ++i)
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k)
      {
        size_t holds = 0, found = 0;
        for (size_t run = 0; run < runs; ++run)
          {
            struct comparison c = simulate (&noises[i], kinds[k].rounds,
                                            kinds[k].effect, &state);
            holds += c.low <= kinds[k].effect && c.high >= kinds[k].effect;
            found += !comparison_is_even (&c);
          }
        printf ("%s, %zu rounds, ratio %g: the interval contains the ratio in "
                "%.2f %% of runs, a difference is found in %.2f %%\n",
                noises[i].name, kinds[k].rounds, kinds[k].effect,
                100.0 * holds / runs, 100.0 * found / runs);
        EXPECT (holds >= least * runs);
        cases += runs;
      }
  group_done ("coverage", cases);
}

/* In most cases, the interval is as narrow as requested after the number of
   rounds that compare_rounds returns.  */
static void
test_rounds (size_t runs)
{
  const struct comparison far = { 1, 0.2, 5 }, half = { 1, 1, 1.21 };
  const struct noise noise = { "noisy", 0.05, 0, 0, 0, 0, 1 };
  uint64_t state = 4101842887655102018;
  size_t named = 0, good = 0;
  EXPECT_EQUAL (compare_rounds (&far, 20, COMPARE_WIDE), 0);
  /* If the interval is twice as wide as requested, the comparison needs four
     times as many rounds, plus a third as a reserve.  */
  EXPECT_EQUAL (compare_rounds (&half, 20, COMPARE_WIDE), 110);
  for (size_t run = 0; run < runs; ++run)
    {
      const struct comparison c = simulate (&noise, 12, 1, &state);
      const size_t rounds = compare_rounds (&c, 12, COMPARE_WIDE);
      if (c.high / c.low <= COMPARE_WIDE || rounds == 0)
        continue;
      const struct comparison then = simulate (&noise, rounds, 1, &state);
      ++named;
      good += then.high / then.low <= COMPARE_WIDE;
    }
  printf ("rounds: %zu of %zu suffice\n", good, named);
  EXPECT (named > runs / 2 && good >= named * 9 / 10);
  group_done ("rounds", 3);
}

int
main (int argc, char **argv)
{
  test_quantiles ();
  test_critical ();
  test_known ();
  test_rounds (1000);
  test_coverage (argc > 1 ? strtoul (argv[1], NULL, 10) : 10000);
  return 0;
}
