/* The table of the programs that would gain.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SURVEY_TABLE_H
#define SURVEY_TABLE_H

#include "survey-rows.h"

/* What a line is in proportion to.  */
struct survey_context
{
  double time; /* Of all programs.  */
  double most; /* Worth of the first.  */
  size_t walks;
  bool sampled;
};

extern struct survey_context survey_context (const struct survey *survey,
                                             bool sampled);

/* Print the first COUNT rows of SURVEY to standard output, within the columns
   of a terminal.  */
extern void survey_table (const struct survey *survey, size_t count,
                          const struct survey_context *context);

#endif
