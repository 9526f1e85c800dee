/* Read samples that "perf record" has taken.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_PERF_H
#define PROFILE_PERF_H

#include "profile-count.h"

/* Tell COUNTS, which has begun, what is in the file PERF_DATA.  Returns NULL,
   or why it cannot be read, in static memory.  */
extern const char *profile_perf (struct profile_counts *counts,
                                 const char *perf_data);

#endif
