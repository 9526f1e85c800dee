/* Metrics: the sums of totals.h in Prometheus' text format.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef METRICS_H
#define METRICS_H

#include "status/totals.h"
#include "store/state.h"

#include <stdio.h>

/* Print the metrics of TOTALS, and of the store, STORE.  */
extern void metrics_print (FILE *stream, const struct totals *totals,
                           const struct store_state *store);

#endif
