/* "hugetext measure" of processes that run: before and after a restart.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef MEASURE_SERVICE_H
#define MEASURE_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

struct service_options
{
  const char *process, *service; /* One of them.  */
  const char *before;            /* A file of JSON, or NULL.  */
  size_t seconds;
  bool json, csv, stand_in;
};

/* Measure what OPTIONS name, and print it.  Returns an exit status.  */
extern int measure_service (const struct service_options *options,
                            const char *caller);

#endif
