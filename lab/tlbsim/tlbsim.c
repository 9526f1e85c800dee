/* tlbsim: a program that simulates how much the text of a program costs in
   the instruction TLBs, on small pages and on huge pages; its options.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "memory.h"
#include "simulation.h"
#include "util/options.h"

#include <string.h>
#include <unistd.h>

enum
{
  STATUS_USAGE = 2
};

/* Add the numbers in ARGUMENT, separated by commas, to LIST.  If ALL is true,
   the word "all" stands for MAX_ALL.  Return false if ARGUMENT has other
   words.  */
static bool
add_numbers (struct numbers *list, const char *argument, bool all)
{
  char *copy = strdup (argument), *rest = copy;
  for (char *word; copy != NULL && (word = strsep (&rest, ",")) != NULL;)
    {
      char *end;
      size_t value = strtoul (word, &end, 0);
      if (all && strcmp (word, "all") == 0)
        value = MAX_ALL;
      else if (*word < '0' || *word > '9' || *end != '\0'
               || (!all && value > 2097151))
        {
          free (copy);
          return false;
        }
      list->list = memory_grow (list->list, list->count, sizeof *list->list);
      list->list[list->count++] = value;
    }
  free (copy);
  return copy != NULL;
}

static bool
take_maxes (void *field, const char *argument, struct problem *problem)
{
  return add_numbers (field, argument, true)
         || problem_set (problem,
                         "numbers of blocks, separated by commas, or all");
}

static bool
take_pads (void *field, const char *argument, struct problem *problem)
{
  return add_numbers (field, argument, false)
         || problem_set (
             problem,
             "numbers of bytes from 0 to 2097151, separated by commas");
}

static bool
take_range (void *input, const char *argument, struct problem *problem)
{
  struct simulation *sim = input;
  char *end;
  struct huge_range range;
  range.start = strtoul (argument, &end, 16);
  range.end = *end == '-' ? strtoul (end + 1, &end, 16) : 0;
  if (*end != '\0' || range.start >= range.end)
    return problem_set (problem, "START-END, hexadecimal");
  sim->ranges = memory_grow (sim->ranges, sim->nranges, sizeof *sim->ranges);
  sim->ranges[sim->nranges++] = range;
  return true;
}

static bool
take_count (void *field, const char *argument, struct problem *problem)
{
  char *end;
  uint64_t value = strtoull (argument, &end, 10);
  if (*argument < '0' || *argument > '9' || *end != '\0' || value == 0)
    return problem_set (problem, "a number, at least 1");
  *(uint64_t *) field = value;
  return true;
}

static bool
take_share (void *field, const char *argument, struct problem *problem)
{
  double value;
  if (!take_number (&value, argument, "a number", 1, 100, problem))
    return false;
  *(unsigned int *) field = value;
  return true;
}

static bool
take_per_block (void *field, const char *argument, struct problem *problem)
{
  return take_number (field, argument, "a number", 1, 100, problem);
}

static const struct command_option options[] = {
  { "max", 'm', "N,...",
    "Values of hugetext_max to try: 0 (all text on small pages, where the"
    " trace has it), numbers of blocks, all; default 0,all",
    take_maxes, offsetof (struct simulation, maxes) },
  { "pad", 'p', "BYTES,...",
    "Values of hugetext_pad_threshold to try; default 65536", take_pads,
    offsetof (struct simulation, pads) },
  { "index", 0, "FILE",
    "Try everything twice, ranking blocks by text, and by the heat that the"
    " index FILE knows",
    take_word, offsetof (struct simulation, index) },
  { "share", 0, "PERCENT",
    "How much of TLBs that hold translations of data, too, is left for text;"
    " default 100",
    take_share, offsetof (struct simulation, share) },
  { "coalesce", 0, NULL,
    "Small pages are neighbours in memory, too, where the processor can make"
    " use of that",
    take_flag, offsetof (struct simulation, coalesce) },
  { "skip", 0, "N",
    "Begin to count after N superblocks of the program (or at SIGUSR1)",
    take_count, offsetof (struct simulation, skip) },
  { "count", 0, "N",
    "Stop after N superblocks more, and end the program (or only stop, at"
    " SIGUSR2)",
    take_count, offsetof (struct simulation, count) },
  { "empty", 0, "N",
    "Empty the TLBs after every N superblocks, as if something else ran then",
    take_count, offsetof (struct simulation, empty) },
  { "per-block", 0, "X",
    "Instructions in a superblock; default: what the trace ends with",
    take_per_block, offsetof (struct simulation, per_block) },
  { "huge", 0, "START-END",
    "These addresses are huge, for every --max but 0, and there is no program;"
    " for traces that are made up",
    take_range, 0 },
  { "csv", 'c', NULL, "Print comma-separated values", take_flag,
    offsetof (struct simulation, csv) },
  { 0 },
};

static const struct command_usage usage = {
  .options = options,
  .arguments = "CPU-FILE...",
  .words = "processors",
  .field = offsetof (struct simulation, files),
  .missing = "which processors? Files as in cpus/",
  .doc = "Simulate the instruction TLBs that CPU-FILEs describe.\v"
         "Standard input is the trace of a program:\n"
         "  valgrind --tool=lackey --trace-superblocks=yes"
         " --vex-guest-chase=no\n"
         "    --log-fd=9 PROGRAM 9>&1 >/dev/null | tlbsim cpus/*.conf",
};

int
main (int argc, char **argv)
{
  static char name[] = "tlbsim";
  static struct simulation sim
      = { .share = 100, .last_page = UINTPTR_MAX, .process = -1 };
  static size_t default_maxes[] = { 0, MAX_ALL }, default_pads[] = { 65536 };
  argv[0] = program_invocation_name = name;
  options_parse (&usage, argc, argv, STATUS_USAGE, &sim);
  for (char **file = sim.files; *file != NULL; ++file)
    {
      sim.cpus = memory_grow (sim.cpus, sim.ncpus, sizeof *sim.cpus);
      cpu_read (*file, &sim.cpus[sim.ncpus++]);
    }
  if (sim.maxes.count == 0)
    sim.maxes.list = default_maxes, sim.maxes.count = 2;
  if (sim.pads.count == 0)
    sim.pads.list = default_pads, sim.pads.count = 1;
  for (size_t i = 0; i < sim.ncpus; ++i)
    cpu_share (&sim.cpus[i], sim.share);
  simulation_begin (&sim);
  simulate (&sim);
  if (!sim.started)
    error (EXIT_FAILURE, 0,
           sim.objects.pid == 0
               ? "there is no trace on standard input"
               : "the trace does not reach the program's entry point");
  if (sim.per_block != 0)
    sim.counts.per_block = sim.per_block;
  report (stdout, &sim.counts, &sim.objects, sim.layouts, sim.nlayouts,
          sim.csv);
  return 0;
}
