/* What is measured of a run.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "quantity.h"

#include <math.h>
#include <stdio.h>

const struct quantity_row quantity_rows[QUANTITIES] = {
  [QUANTITY_NUMBER] = { "number", "number printed", "", 1 },
  [QUANTITY_TIME] = { "seconds", "time", "s", 1 },
  [QUANTITY_USER] = { "user_seconds", "user time", "s", 1 },
  [QUANTITY_SYSTEM] = { "system_seconds", "system time", "s", 1 },
  [QUANTITY_MINOR] = { "minor_faults", "faults, minor", "", 1 },
  [QUANTITY_MAJOR] = { "major_faults", "faults, major", "", 1 },
  [QUANTITY_RSS]
  = { "max_rss_bytes", "most memory (RSS)", "MiB", 1.0 / (1 << 20) },
  [QUANTITY_HUGE] = { "huge_text_percent", "text on huge pages", "%", 1 },
  [QUANTITY_CYCLES]
  = { "cycles_per_instruction", "cycles/instruction", "", 1 },
  [QUANTITY_ITLB_HITS]
  = { "itlb_second_level_hits_per_1000", "iTLB level 2 /1000", "", 1 },
  [QUANTITY_ITLB_WALKS] = { "itlb_walks_per_1000", "iTLB walks /1000", "", 1 },
  [QUANTITY_WALK_CYCLES]
  = { "walk_cycles_per_1000", "walk cycles /1000", "", 1 },
};

void
quantity_from_counts (struct run_values *values,
                      const double counts[static COUNTERS])
{
  const double instructions = counts[COUNTER_INSTRUCTIONS];
  const double each = instructions > 0 ? 1 / instructions : NAN;
  values->value[QUANTITY_CYCLES] = counts[COUNTER_CYCLES] * each;
  values->value[QUANTITY_ITLB_HITS] = 1000 * counts[COUNTER_ITLB_HITS] * each;
  values->value[QUANTITY_ITLB_WALKS]
      = 1000 * counts[COUNTER_ITLB_WALKS] * each;
  values->value[QUANTITY_WALK_CYCLES]
      = 1000 * counts[COUNTER_WALK_CYCLES] * each;
}

const char *
quantity_print (enum quantity quantity, double value, char buffer[static 32])
{
  const struct quantity_row *row = &quantity_rows[quantity];
  const char *unit = row->unit;
  double shown = value * row->scale;
  if (isnan (value))
    {
      snprintf (buffer, 32, "-");
      return buffer;
    }
  if (unit[0] == 's' && shown < 1)
    {
      shown *= 1000;
      unit = "ms";
    }
  double size = fabs (shown);
  int digits = (size == 0 || size >= 1000 ? 0
                : size >= 100             ? 1
                : size >= 10              ? 2
                                          : 3);
  /* What is counted.  */
  if (quantity == QUANTITY_MINOR || quantity == QUANTITY_MAJOR)
    digits = 0;
  if (quantity == QUANTITY_HUGE)
    digits = 1;
  snprintf (buffer, 32, "%.*f%s%s", digits, shown, unit[0] != '\0' ? " " : "",
            unit);
  return buffer;
}
