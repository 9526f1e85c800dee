/* Compare measurements that were made in pairs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stddef.h>

enum
{
  /* So sure, per cent: of twenty comparisons of equal things hardly ever two
     are found to differ.  */
  COMPARE_SURE = 99,
  /* Fewer pairs cannot be that sure: in 2 of 2^7 cases all of 7 pairs of equal
     things agree about which is larger.  */
  COMPARE_LEAST = 8,
  COMPARE_MOST = 1000,
};

/* What is known of the ratio of two things.  */
struct comparison
{
  double ratio;     /* The estimate.  */
  double low, high; /* It is between these, so sure.  */
};

/* The same thing, as far as the measurements tell.  */
static inline bool
comparison_is_even (const struct comparison *comparison)
{
  return comparison->low <= 1 && comparison->high >= 1;
}

/* Estimate the ratio of WITH to BASE from COUNT pairs, of which the two values
   are from the same round.  False if there are too few, or too many, or a
   value is not positive, or there is no memory.  */
extern bool compare_pairs (const double base[], const double with[],
                           size_t count, struct comparison *comparison);

/* The quantile Q, 0 to 1, of COUNT VALUES; NAN if there are none, or no
   memory. Values that are NAN do not count.  */
extern double compare_quantile (const double values[], size_t count, double q);

#endif
