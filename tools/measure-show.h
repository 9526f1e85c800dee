/* Print what "hugetext measure" has found.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEASURE_SHOW_H
#define MEASURE_SHOW_H

#include "measurement.h"

#include <stdio.h>

/* For people: a table and a sentence for each contender but the first, and
   what could not be measured.  */
extern void measure_show (FILE *stream, const struct measurement *m);

/* For spreadsheets, a line for each contender and quantity; and as JSON, with
   each run.  */
extern void measure_csv (FILE *stream, const struct measurement *m);
extern void measure_json (FILE *stream, const struct measurement *m);

/* What the latter has of contender C.  */
extern struct json_object *measure_json_one (const struct measurement *m,
                                             size_t c);

#endif
