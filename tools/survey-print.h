/* Print what survey-rows.h found out, to standard output.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SURVEY_PRINT_H
#define SURVEY_PRINT_H

#include "survey-rows.h"

/* How it was found out.  */
struct survey_how
{
  double seconds;
  const char *event;   /* What was sampled, or NULL.  */
  const char *problem; /* Why nothing was sampled, or NULL.  */
  bool walks;          /* Page walks were counted.  */
  bool own;            /* Only processes of our own.  */
  bool all;            /* Every program is wanted.  */
};

extern void survey_print (const struct survey *survey,
                          const struct survey_how *how);

extern void survey_print_json (const struct survey *survey,
                               const struct survey_how *how);

#endif
