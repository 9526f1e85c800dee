/* The comparison of measurements that were made in pairs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Times have outliers on one side, and the machine's other load comes and goes
   over minutes.  So of each pair, made one right after the other, only the
   ratio counts, and of ratios only their order: the estimate is that of Hodges
   and Lehmann (Annals of Mathematical Statistics 34, 1963), the median of the
   means of all pairs of logarithms, and the interval is the one of Wilcoxon's
   signed-rank test (Tukey's; Hollander and Wolfe, Nonparametric Statistical
   Methods, 3.1 to 3.3).  It assumes no distribution, only that a ratio is off
   by some factor in either direction with the same probability; compare_first
   makes sure of that, by chance.  */

#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Return the quantile Q of COUNT values in order, at least one.  */
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
  qsort (sorted, n, sizeof *sorted, by_value);
  return quantile_of_sorted (sorted, n, q);
}

/* Return the largest value that Wilcoxon's statistic of COUNT pairs, the sum
   of the ranks on one side, exceeds with all but probability TAIL or less; -1
   if there is none.  */
static long
critical_value (size_t count, double tail)
{
  /* P[S] is the probability of the sum S if each rank is in it or not.  */
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
  /* Of all pairs, each ratio with itself, too.  */
  for (size_t i = 0; i < count; ++i)
    for (size_t k = i; k < count; ++k)
      means[n++] = (log (with[i] / base[i]) + log (with[k] / base[k])) / 2;
  qsort (means, n, sizeof *means, by_value);
  const long cut = critical_value (count, (1 - MEASURE_SURE / 100.0) / 2);
  *comparison = (struct comparison){
    .ratio = exp (quantile_of_sorted (means, n, 0.5)),
    .low = exp (means[cut]),
    .high = exp (means[n - 1 - cut]),
  };
  return true;
}

size_t
compare_first (size_t round, size_t before, bool chance)
{
  return round % 2 == 1 ? !before : chance;
}
