/* Compare two series of measurements.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   Disturbances make some of the measured times too long, but none too short.
   The two settings are measured in pairs, one directly after the other,
   because the other load on the machine changes from minute to minute.  Only
   the ratio within each pair is used, and the test uses only the order of the
   ratios.  The estimate is that of Hodges and Lehmann (Annals of Mathematical
   Statistics 34, 1963): the median of the means of all pairs of logarithms.
   The interval is Tukey's, which is based on Wilcoxon's signed-rank test
   (Hollander and Wolfe, Nonparametric Statistical Methods, 3.1 to 3.3).  The
   test does not assume that the ratios have a particular distribution.  The
   test assumes only that errors in both directions are equally likely: the
   measured ratio is as likely to be too large by a certain factor as to be too
   small by this factor.  Errors in both directions are equally likely because
   compare_first chooses the order within the pairs at random.

   Measurements before a change and measurements after it do not form pairs.
   For such unpaired measurements, the estimate is the median of the ratios of
   each later value to each earlier value.  For unpaired measurements, the
   confidence interval is that of the rank-sum test (Hollander and Wolfe, 4.1
   to 4.3), widened because successive measurements are correlated.  */

#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

static int
measure_compare_compare_values (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Return the quantile Q of the COUNT values SORTED, which are in ascending
   order.  COUNT is at least 1.  */
static double
quantile_of_sorted (const double sorted[], size_t count, double q)
{
  double at = q * (count - 1);
  size_t low = at;
  if (low + 1 >= count)
    return sorted[count - 1];
  return sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]);
}

double
compare_quantile (const double values[], size_t count, double q)
{
  double sorted[MEASURE_MOST];
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    if (!isnan (values[i]))
      sorted[n++] = values[i];
  if (n == 0)
    return NAN;
  qsort (sorted, n, sizeof *sorted, measure_compare_compare_values);
  return quantile_of_sorted (sorted, n, q);
}

/* Return the critical value of Wilcoxon's statistic (the sum of the ranks on
   one side) for COUNT pairs: the largest V for which the probability of a
   statistic of V or less is at most TAIL.  Return -1 if no V has so small a
   probability.  */
static long
critical_value (size_t count, double tail)
{
  /* P[S] is the probability that the sum of the ranks is S, if each rank is
     included with probability 1/2.  */
  double p[MEASURE_MOST * (MEASURE_MOST + 1) / 2 + 1] = { 1 };
  size_t most = 0;
  for (size_t rank = 1; rank <= count; ++rank)
    {
      most += rank;
      for (size_t s = most + 1; s-- > 0;)
        p[s] = (p[s] + (s >= rank ? p[s - rank] : 0)) / 2;
    }
  double below = 0;
  long value = -1;
  while ((size_t) (value + 1) <= most && below + p[value + 1] <= tail)
    below += p[++value];
  return value;
}

bool
compare_pairs (const double base[], const double with[], size_t count,
               struct comparison *comparison)
{
  double means[MEASURE_MOST * (MEASURE_MOST + 1) / 2];
  size_t n = 0;
  for (size_t i = 0; i < count; ++i)
    if (!(base[i] > 0 && with[i] > 0))
      return false;
  /* Compute the mean of each pair of ratios, including each ratio paired with
     itself.  */
  for (size_t i = 0; i < count; ++i)
    for (size_t k = i; k < count; ++k)
      means[n++] = (log (with[i] / base[i]) + log (with[k] / base[k])) / 2;
  qsort (means, n, sizeof *means, measure_compare_compare_values);
  const long cut = critical_value (count, (1 - MEASURE_SURE / 100.0) / 2);
  *comparison = (struct comparison){
    .ratio = exp (quantile_of_sorted (means, n, 0.5)),
    .low = exp (means[cut]),
    .high = exp (means[n - 1 - cut]),
  };
  return true;
}

/* Return the factor by which an interval must be widened because successive
   values of the COUNT VALUES are correlated.  Correlation increases the
   variance of a mean; compute the factor from the correlation of the ranks of
   successive values.  In a short series, the estimated rank correlation is too
   small (Kendall, Biometrika 41, 1954), so it is corrected.  The function
   therefore corrects the estimate of the correlation, and adds two of its
   standard errors, because the estimate is uncertain.  */
static double
inflation (const double values[], size_t count)
{
  double sum = 0, square = 0, before = 0;
  for (size_t i = 0; i < count; ++i)
    {
      double rank = 0;
      for (size_t k = 0; k < count; ++k)
        rank += (values[k] < values[i]) - (values[k] > values[i]);
      if (i > 0)
        sum += rank * before;
      square += rank * rank;
      before = rank;
    }
  if (square == 0)
    return 1;
  double alike = (sum / square * count + 1) / (count - 4.0);
  alike = fmin (fmax (alike + 2 / sqrt (count), 0), 0.95);
  return (1 + alike) / (1 - alike);
}

static bool
are_positive (const double values[], size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (!(values[i] > 0))
      return false;
  return true;
}

bool
compare_groups (const double base[], size_t base_count, const double with[],
                size_t with_count, struct comparison *comparison)
{
  /* The two-sided quantile of the normal distribution for MEASURE_SURE.  */
  const double normal = 2.5758;
  size_t n = 0;
  if (base_count < MEASURE_LEAST || with_count < MEASURE_LEAST
      || !are_positive (base, base_count) || !are_positive (with, with_count))
    return false;
  double *ratios = calloc (base_count * with_count, sizeof *ratios);
  if (ratios == NULL)
    return false;
  for (size_t i = 0; i < base_count; ++i)
    for (size_t k = 0; k < with_count; ++k)
      ratios[n++] = log (with[k] / base[i]);
  qsort (ratios, n, sizeof *ratios, measure_compare_compare_values);
  /* Split the variance of the rank-sum statistic into two parts, one for each
     of the two series.  */
  const double each
      = n * (base_count + with_count + 1.0) / 12 / (base_count + with_count);
  const double variance = each
                          * (with_count * inflation (base, base_count)
                             + base_count * inflation (with, with_count));
  const double cut = floor (n / 2.0 - normal * sqrt (variance));
  *comparison = (struct comparison){
    .ratio = exp (quantile_of_sorted (ratios, n, 0.5)),
    .low = cut >= 1 ? exp (ratios[(size_t) cut - 1]) : 0,
    .high = cut >= 1 ? exp (ratios[n - (size_t) cut]) : INFINITY,
  };
  free (ratios);
  return true;
}

bool
compare_toss (void)
{
  unsigned char byte = 0;
  return (getrandom (&byte, sizeof byte, GRND_NONBLOCK) == sizeof byte
          && byte % 2 == 1);
}

size_t
compare_rounds (const struct comparison *comparison, double count, double wide)
{
  /* The logarithm of the width is proportional to 1 / sqrt (rounds).  Because
     the width varies by chance, increase the number of rounds by a third.  */
  const double more = log (comparison->high / comparison->low) / log (wide);
  const double rounds = ceil (count * more * more * 4 / 3 / 10) * 10;
  return rounds <= MEASURE_MOST ? (size_t) rounds : 0;
}

size_t
compare_first (size_t round, size_t before, bool chance)
{
  return round % 2 == 1 ? !before : chance;
}
