/* The worth of huge pages to programs, by a simulated TLB.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Samples are no trace: between two of them are a million instructions.  But
   they come from the pages that are executed, as often as these are, so a TLB
   that is given them one after the other misses where the program has many
   pages with as much to do, and holds what loops in a few.  So much is
   comparable between programs; how many misses there are is not known.  */

#include "sample/sample.h"

#include <string.h>

/* Seconds of a process below which its program gains nothing.  A start with
   images costs some tenths of a millisecond more (bench/startup), as much as
   huge pages gain in that time.  */
#define LEAST_SECONDS 0.1

void
program_execute (struct sampled_program *program, uint64_t page)
{
  size_t i = 0;
  while (i < program->nentries && program->entries[i] != page)
    ++i;
  if (i == program->nentries)
    {
      ++program->misses;
      if (program->nentries < SAMPLE_ENTRIES)
        ++program->nentries;
      i = program->nentries - 1;
    }
  /* Replace the least recently used entry.  */
  memmove (program->entries + 1, program->entries,
           i * sizeof *program->entries);
  program->entries[0] = page;
}

double
program_misses (const struct sampled_program *program)
{
  const double executed = program->in_text + program->outside;
  return executed > 0 ? program->misses / executed : 0;
}

bool
program_is_brief (const struct sampled_program *program)
{
  return (program->starts > 0
          && program->samples / (double) SAMPLE_RATE / program->starts
                 < LEAST_SECONDS);
}

void
program_judge (struct sampled_program *program)
{
  const double small = program->sums.small;
  const double used = small + program->sums.huge;
  program->worth = (program_is_brief (program)
                        ? 0
                        : program->samples * program_misses (program)
                              * (used > 0 ? small / used : 1));
}
