/* Which events of a CPU tell about its instruction TLB.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COUNTER_TABLE_H
#define COUNTER_TABLE_H

#include <stdint.h>

enum counter
{
  COUNTER_INSTRUCTIONS,
  COUNTER_CYCLES,
  COUNTER_ITLB_HITS,   /* Missed in the first level, found in the second.  */
  COUNTER_ITLB_WALKS,  /* Found in none: a page walk.  */
  COUNTER_WALK_CYCLES, /* Cycles of those.  */
  COUNTERS,
};

/* As perf_event_open takes it.  */
struct counter_event
{
  uint32_t type;
  uint64_t config;
};

/* A kind of CPU, as /proc/cpuinfo has it on x86.  Elsewhere the vendor is
   "Arm", as its architecture says which events there are, or "".  */
struct cpu_model
{
  char vendor[16];
  unsigned int family, model;
};

/* The event for COUNTER on a CPU of MODEL.  Without one its type is
   COUNTER_NONE.  */
#define COUNTER_NONE UINT32_MAX
extern struct counter_event counter_event (enum counter counter,
                                           const struct cpu_model *model);

#endif
