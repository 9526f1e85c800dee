/* Estimate how much programs would gain from huge pages, with a simulated TLB.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Samples cannot show each access to the TLB, because about a million
   instructions lie between two samples; but a page contains about the same
   share of the samples as of the executed instructions.  The simulation makes
   one access to the TLB for each sample.  In the simulation, a program that
   spends its time evenly on many pages has many misses, and a program that
   loops in a few pages has few misses.  The numbers of simulated misses of two
   programs can be compared, but they are not the real numbers of misses.  */

#include "sample/sample.h"
#include "util/allocate.h"

#include <stdlib.h>
#include <string.h>

/* The minimum run time, in seconds, of processes that gain from huge pages.  A
   start with images takes some tenths of a millisecond longer than a start
   without huge text (bench/startup).  In a process that runs for
   LEAST_SECONDS, huge pages save about as much time as they cost at the
   start.  */
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
  /* Replace the least recently used entry of the simulated TLB.  */
  memmove (program->entries + 1, program->entries,
           i * sizeof *program->entries);
  program->entries[0] = page;
}

void
program_heat (struct sampled_program *program, uint64_t page, uint64_t pages)
{
  enum
  {
    BLOCKS_MOST = 4096, /* The maximum number of blocks of a program that are
                           counted, which is larger than the number of entries
                           of any CPU's TLB.  Without a maximum, a process of
                           another user could make the command slow by
                           executing code in ever more blocks, because each
                           sample requires a search through all blocks.  */
  };
  const uint64_t number = page / pages;
  size_t i = 0;
  while (i < program->nblocks && program->blocks[i].number != number)
    ++i;
  if (i == BLOCKS_MOST)
    return;
  if (i == program->nblocks)
    {
      program->blocks
          = allocate_more (program->blocks, i, sizeof *program->blocks);
      program->blocks[program->nblocks++]
          = (struct sampled_block){ .number = number };
    }
  ++program->blocks[i].samples;
  /* Keep the blocks with the most samples at the front of the list.  */
  if (i > 0 && program->blocks[i].samples > program->blocks[i - 1].samples)
    {
      const struct sampled_block hotter = program->blocks[i];
      program->blocks[i] = program->blocks[i - 1];
      program->blocks[i - 1] = hotter;
    }
}

static int
by_samples_of_block (const void *a, const void *b)
{
  const struct sampled_block *x = a, *y = b;
  return (x->samples < y->samples) - (x->samples > y->samples);
}

size_t
program_hot_blocks (struct sampled_program *program)
{
  size_t n = 0, samples = 0;
  if (program->in_text < PROFILE_SAMPLES_LEAST || program->nblocks == 0)
    return 0;
  qsort (program->blocks, program->nblocks, sizeof *program->blocks,
         by_samples_of_block);
  while (n < program->nblocks && 10 * samples < 9 * program->in_text)
    samples += program->blocks[n++].samples;
  return n;
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
  program->worth = (program_is_brief (program) || program->small
                        ? 0
                        : program->samples * program_misses (program)
                              * (used > 0 ? small / used : 1));
}
