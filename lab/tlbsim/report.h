/* The report on a simulation.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REPORT_H
#define REPORT_H

#include "layout.h"

#include <stdio.h>

/* Counts of executed instructions.  */
struct report_counts
{
  uint64_t blocks;       /* The number of superblocks in the trace.  */
  uint64_t instructions; /* Instructions that the trace names.  */
  /* Totals of the whole trace, 0 if it does not end with them.  */
  uint64_t total_blocks, total_instructions;
  double per_block;     /* The number of instructions in a superblock, or 0 to
                           compute this number from the totals.  */
  uint64_t loose_pages; /* Traced pages that belong to no object.  */
};

/* Print the COUNT LAYOUTS, for each processor.  */
extern void report (FILE *stream, const struct report_counts *counts,
                    const struct objects *objects,
                    const struct layout layouts[], size_t count, bool csv);

#endif
