/* The simulation: the pages in which a traced program executes, in the TLBs of
   several processors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SIMULATION_H
#define SIMULATION_H

#include "cpu.h"
#include "layout.h"
#include "objects.h"
#include "report.h"

enum
{
  /* Executed pages that are collected before the processors get them.  */
  BATCH = 4096,
  /* Pages in the look-aside buffer of the table of pages.  */
  NEAR = 1024,
};

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
  double per_block; /* Instructions in a superblock; 0 for the average that the
                       trace gives.  */
  uint64_t skip, count;
  uint64_t empty; /* Superblocks after which all TLBs are emptied; 0 for
                     never.  */

  int process; /* The traced process, -1 if there is none, or if it has
                  ended.  */
  struct objects objects;
  struct layout *layouts;
  size_t nlayouts;

  /* The traced pages: a hash table of their numbers + 1, with 0 in free slots;
     and a look-aside buffer.  */
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

/* Prepare SIM, whose options are set.  */
extern void simulation_begin (struct simulation *sim);

/* Read a trace from standard input, and simulate its execution.  */
extern void simulate (struct simulation *sim);

#endif
