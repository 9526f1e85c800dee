/* A comparison of commands: what was measured, summed up.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "measurement.h"

#include <math.h>

/* QUANTITY of contender C in all rounds, in VALUES.  */
static void
collect (const struct measurement *m, size_t c, enum quantity quantity,
         double values[])
{
  for (size_t round = 0; round < m->rounds; round++)
    values[round] = m->runs[c * m->rounds + round].value[quantity];
}

struct summary
measurement_summary (const struct measurement *m, size_t c,
                     enum quantity quantity)
{
  double base[COMPARE_MOST], values[COMPARE_MOST];
  struct summary summary = { .count = 0 };
  collect (m, 0, quantity, base);
  collect (m, c, quantity, values);
  for (size_t i = 0; i < m->rounds; i++)
    summary.count += !isnan (values[i]);
  summary.median = compare_quantile (values, m->rounds, 0.5);
  summary.low = compare_quantile (values, m->rounds, 0.25);
  summary.high = compare_quantile (values, m->rounds, 0.75);
  summary.compared
      = (c > 0
         && compare_pairs (base, values, m->rounds, &summary.comparison));
  return summary;
}

void
measurement_text (const struct measurement *m, size_t c, size_t *seen,
                  size_t *none)
{
  double shares[COMPARE_MOST];
  collect (m, c, QUANTITY_HUGE, shares);
  *seen = *none = 0;
  for (size_t i = 0; i < m->rounds; i++)
    {
      *seen += !isnan (shares[i]);
      *none += shares[i] == 0;
    }
}

bool
measurement_has_none (const struct measurement *m, size_t c)
{
  size_t seen, none;
  measurement_text (m, c, &seen, &none);
  return ((m->contenders[c].settings.value[SETTING_MODE] & SETTINGS_TEXT) != 0
          && seen > 0 && none == seen);
}
