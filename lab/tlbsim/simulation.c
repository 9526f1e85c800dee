/* The simulation: for each trial, all simulated processors execute the
   superblocks of the trace, in the pages that the trial's layout has.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "simulation.h"
#include "memory.h"
#include "trace.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_PAGE UINT32_MAX

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

/* True if the program itself has begun to run.  The loader runs before the
   program, and the simulation makes no layout for the loader.  */
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

/* Take an instruction or a superblock.  SIZE is the number of its known
   bytes.  */
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

void
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
            /* Continue until the totals come, which valgrind's tool lackey
               prints even if a signal ends the program.  */
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

/* Simulate every threshold a second time, with blocks ranked by heat.  */
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

void
simulation_begin (struct simulation *sim)
{
  for (size_t i = 0; i < NEAR; ++i)
    sim->near_page[i] = UINTPTR_MAX;
  grow_pages (sim);
  if (sim->index != NULL)
    {
      if (access (sim->index, R_OK) != 0)
        error (EXIT_FAILURE, errno, "%s", sim->index);
      double_pads (sim);
    }
  objects_init (&sim->objects, sim->pads.list, sim->pads.count,
                sim->maxes.list, sim->maxes.count, sim->ranges, sim->nranges);
  sim->objects.index = sim->index;
  make_layouts (sim);
  signal (SIGUSR1, note_signal);
  signal (SIGUSR2, note_signal);
}
