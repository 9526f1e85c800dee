/* tlbsim: a program that simulates how much the text of a program costs in
   the instruction TLBs, on small pages and on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "layout.h"
#include "memory.h"
#include "util/options.h"
#include "report.h"
#include "trace.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  STATUS_USAGE = 2,
  /* Executed pages that are collected before the processors get them.  */
  BATCH = 4096,
  /* Pages in the look-aside buffer of the table of pages.  */
  NEAR = 1024,
};

#define NO_PAGE UINT32_MAX

struct numbers
{
  size_t *list;
  size_t count;
};

struct simulation
{
  /* Options.  */
  struct cpu *cpus;
  size_t ncpus;
  char **files; /* Files that describe processors.  */
  struct numbers pads, maxes;
  struct huge_range *ranges;
  size_t nranges;
  const char *index;
  unsigned int share;
  bool coalesce, csv;
  double per_block; /* Instructions in a superblock; 0 for the counted
                       number.  */
  uint64_t skip, count;
  uint64_t empty; /* Superblocks after which all TLBs are emptied; 0 for
                     never.  */

  int process; /* The traced process, -1 if there is none, or if it has
                  ended.  */
  struct objects objects;
  struct layout *layouts;
  size_t nlayouts;

  /* The traced pages: a hash table of number + 1, or 0, and a look-aside
     buffer.  */
  uintptr_t *pages;
  size_t npages;
  uint32_t *slots;
  size_t nslots;
  uintptr_t near_page[NEAR];
  uint32_t near_number[NEAR];

  uint32_t batch[BATCH];
  size_t nbatch;
  uintptr_t last_page;

  bool started, stopped;
  struct report_counts counts;
};

/* What signals have requested.  */
static volatile sig_atomic_t wanted_reset, wanted_stop;

static void
note_signal (int signal)
{
  if (signal == SIGUSR1)
    wanted_reset = 1;
  else
    wanted_stop = 1;
}

/* Pass the executed pages on to all processors.  */
static void
flush (struct simulation *sim)
{
  for (size_t i = 0; i < sim->nlayouts; ++i)
    layout_run (&sim->layouts[i], sim->batch, sim->nbatch);
  sim->nbatch = 0;
}

/* Reset all counts, as if the program began now with the present contents of
   the TLBs.  */
static void
reset (struct simulation *sim)
{
  flush (sim);
  sim->counts.blocks = sim->counts.instructions = 0;
  sim->stopped = false;
  for (size_t i = 0; i < sim->nlayouts; ++i)
    for (size_t k = 0; k < sim->layouts[i].ncores; ++k)
      core_reset (&sim->layouts[i].cores[k]);
}

/* Empty all TLBs, as if another program had run meanwhile.  */
static void
empty (struct simulation *sim)
{
  flush (sim);
  sim->last_page = UINTPTR_MAX;
  for (size_t i = 0; i < sim->nlayouts; ++i)
    {
      sim->layouts[i].last = UINT32_MAX;
      for (size_t k = 0; k < sim->layouts[i].ncores; ++k)
        core_empty (&sim->layouts[i].cores[k]);
    }
}

static void
stop (struct simulation *sim)
{
  flush (sim);
  sim->stopped = true;
}

static uint32_t *
page_slot (const struct simulation *sim, uintptr_t page)
{
  size_t mask = sim->nslots - 1;
  for (size_t i = (page * UINT64_C (0x9e3779b97f4a7c15) >> 20) & mask;;
       i = (i + 1) & mask)
    if (sim->slots[i] == 0 || sim->pages[sim->slots[i] - 1] == page)
      return &sim->slots[i];
}

static void
grow_pages (struct simulation *sim)
{
  if (2 * sim->npages < sim->nslots)
    return;
  free (sim->slots);
  sim->nslots = sim->nslots != 0 ? 2 * sim->nslots : 4096;
  sim->slots = memory_array (NULL, sim->nslots, sizeof *sim->slots);
  memset (sim->slots, 0, sim->nslots * sizeof *sim->slots);
  for (size_t i = 0; i < sim->npages; ++i)
    *page_slot (sim, sim->pages[i]) = i + 1;
}

/* Add PAGE, which is new.  */
static void
add_page (struct simulation *sim, uintptr_t page, unsigned int shift)
{
  uintptr_t address = page << shift;
  struct object *object = objects_find (&sim->objects, address);
  if (object == NULL && objects_look (&sim->objects))
    {
      objects_plan (&sim->objects);
      object = objects_find (&sim->objects, address);
    }
  if (object == NULL)
    ++sim->counts.loose_pages;
  sim->pages = memory_grow (sim->pages, sim->npages, sizeof *sim->pages);
  sim->pages[sim->npages++] = page;
  for (size_t i = 0; i < sim->nlayouts; ++i)
    layout_add_page (&sim->layouts[i], &sim->objects, object, address);
}

/* Return the number of PAGE, which is added if it is new.  */
static uint32_t
page_number (struct simulation *sim, uintptr_t page, unsigned int shift)
{
  size_t near = page % NEAR;
  if (sim->near_page[near] == page)
    return sim->near_number[near];
  grow_pages (sim);
  uint32_t *slot = page_slot (sim, page);
  if (*slot == 0)
    {
      add_page (sim, page, shift);
      *slot = sim->npages;
    }
  sim->near_page[near] = page;
  return sim->near_number[near] = *slot - 1;
}

/* Whether the program itself has begun to run.  Before that its loader runs,
   for which no layout is made.  */
static bool
has_started (struct simulation *sim, uintptr_t address)
{
  if (sim->objects.pid == 0)
    return true;
  if (sim->objects.count == 0 && !objects_look (&sim->objects))
    error (EXIT_FAILURE, errno, "process %d, whose trace this is",
           (int) sim->objects.pid);
  for (size_t i = 0; i < sim->objects.count; ++i)
    if (sim->objects.list[i].entry == address && address != 0)
      {
        objects_look (&sim->objects);
        objects_plan (&sim->objects);
        return true;
      }
  return false;
}

/* Execute in PAGE.  */
static inline void
execute (struct simulation *sim, uintptr_t page, unsigned int shift)
{
  if (page == sim->last_page)
    return;
  sim->last_page = page;
  sim->batch[sim->nbatch++] = page_number (sim, page, shift);
  if (sim->nbatch == BATCH)
    flush (sim);
}

/* Do what signals have requested.  */
static void
obey (struct simulation *sim)
{
  if (wanted_reset)
    {
      wanted_reset = 0;
      reset (sim);
    }
  if (wanted_stop)
    {
      wanted_stop = 0;
      stop (sim);
    }
}

/* Take an instruction or a superblock.  SIZE bytes of it are known.  */
static inline void
step (struct simulation *sim, uintptr_t address, unsigned int size,
      unsigned int shift)
{
  if (!sim->started && !(sim->started = has_started (sim, address)))
    return;
  execute (sim, address >> shift, shift);
  if ((address + size - 1) >> shift != address >> shift)
    execute (sim, (address + size - 1) >> shift, shift);
}

static void
simulate (struct simulation *sim)
{
  const unsigned int shift = __builtin_ctzl (elfobject_geometry ().page);
  struct report_counts *counts = &sim->counts;
  enum trace_event event;
  struct trace trace;
  trace_init (&trace, STDIN_FILENO);
  while ((event = trace_next (&trace)) != TRACE_END)
    switch (event)
      {
      case TRACE_PROCESS:
        if (sim->nranges == 0)
          {
            sim->objects.pid = trace.pid;
            sim->process = syscall (__NR_pidfd_open, trace.pid, 0);
          }
        break;
      case TRACE_BLOCK:
        if (sim->stopped)
          break;
        step (sim, trace.address, 1, shift);
        counts->blocks += sim->started;
        if (sim->empty != 0 && sim->started
            && counts->blocks % sim->empty == 0)
          empty (sim);
        if (sim->skip != 0 && counts->blocks == sim->skip)
          {
            sim->skip = 0;
            reset (sim);
          }
        else if (sim->count != 0 && sim->skip == 0
                 && counts->blocks == sim->count)
          {
            stop (sim);
            /* Continue until the totals come, which lackey prints even if a
               signal ends it.  */
            if (sim->process >= 0)
              syscall (__NR_pidfd_send_signal, sim->process, SIGTERM, NULL, 0);
          }
        break;
      case TRACE_INSTRUCTION:
        if (sim->stopped)
          break;
        step (sim, trace.address, trace.size, shift);
        counts->instructions += sim->started;
        break;
      default:
        obey (sim);
      }
  flush (sim);
  counts->total_blocks = trace.blocks;
  counts->total_instructions = trace.instructions;
  trace_free (&trace);
}

/* Try every threshold a second time, with heat.  */
static void
double_pads (struct simulation *sim)
{
  size_t *pads = memory_array (NULL, 2 * sim->pads.count, sizeof *pads);
  for (size_t i = 0; i < 2 * sim->pads.count; ++i)
    pads[i] = sim->pads.list[i % sim->pads.count];
  sim->pads.list = pads;
  sim->pads.count *= 2;
}

/* Make a layout for each trial, and for each size of units in it.  */
static void
make_layouts (struct simulation *sim)
{
  const unsigned int page = __builtin_ctzl (elfobject_geometry ().page);
  size_t room = sim->pads.count * sim->maxes.count * sim->ncpus;
  sim->layouts = memory_array (NULL, room, sizeof *sim->layouts);
  for (size_t pad = 0; pad < sim->pads.count; ++pad)
    for (size_t max = 0; max < sim->maxes.count; ++max)
      {
        size_t first = sim->nlayouts;
        for (size_t c = 0; c < sim->ncpus; ++c)
          {
            unsigned int shift = page;
            if (sim->coalesce)
              shift += __builtin_ctz (sim->cpus[c].coalesce);
            size_t i = first;
            while (i < sim->nlayouts && sim->layouts[i].shift != shift)
              ++i;
            if (i == sim->nlayouts)
              layout_init (&sim->layouts[sim->nlayouts++], pad, max, shift);
            layout_add_cpu (&sim->layouts[i], &sim->cpus[c]);
          }
      }
}

/* Options.  */

/* Add the numbers in ARGUMENT, separated by commas, to LIST; with ALL, "all"
   is MAX_ALL.  Return false if ARGUMENT has other words.  */
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
  for (size_t i = 0; i < NEAR; ++i)
    sim.near_page[i] = UINTPTR_MAX;
  grow_pages (&sim);
  if (sim.index != NULL)
    {
      if (access (sim.index, R_OK) != 0)
        error (EXIT_FAILURE, errno, "%s", sim.index);
      double_pads (&sim);
    }
  objects_init (&sim.objects, sim.pads.list, sim.pads.count, sim.maxes.list,
                sim.maxes.count, sim.ranges, sim.nranges);
  sim.objects.index = sim.index;
  make_layouts (&sim);
  signal (SIGUSR1, note_signal);
  signal (SIGUSR2, note_signal);

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
