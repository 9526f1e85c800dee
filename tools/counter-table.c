/* Which events of a CPU tell about its instruction TLB.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel has names of its own for instructions, cycles and misses of the
   instruction TLB, which it turns into events of the CPU.  What else there is
   has numbers, by the manufacturers' documents:

   Intel: perfmon (github.com/intel/perfmon), the events ITLB_MISSES.STLB_HIT,
   WALK_COMPLETED and WALK_PENDING, before Skylake WALK_DURATION.
   AMD: Processor Programming Reference for families 17h, 19h and 1Ah, PMCx084
   and PMCx085, "L1 ITLB miss, L2 ITLB hit", and miss.  There is none for the
   cycles of walks.
   Arm: Architecture Reference Manual (DDI 0487), chapter on the PMU's events:
   L1I_TLB_REFILL counts what missed in the first level, whether or not the
   second had it, and ITLB_WALK what no level had.  */

#include "counter-table.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

/* On x86: event in bits 0 to 7, unit mask in 8 to 15.  */
#define EVENT(event, mask) ((uint64_t)(mask) << 8 | (event))

struct kind
{
  /* 0 for none.  */
  uint64_t hits, walks, walk_cycles;
};

static const struct kind haswell
    = { EVENT (0x85, 0x60), EVENT (0x85, 0x0e), EVENT (0x85, 0x10) };
static const struct kind skylake
    = { EVENT (0x85, 0x20), EVENT (0x85, 0x0e), EVENT (0x85, 0x10) };
static const struct kind golden_cove
    = { EVENT (0x11, 0x20), EVENT (0x11, 0x0e), EVENT (0x11, 0x10) };
/* All page sizes: bits that a family does not have do not matter.  */
static const struct kind zen = { EVENT (0x84, 0), EVENT (0x85, 0xff), 0 };
static const struct kind arm = { 0x02, 0x35, 0 };

static const struct
{
  unsigned char model;
  const struct kind *kind;
} intel[] = {
  { 0x3c, &haswell },     { 0x45, &haswell },     { 0x46, &haswell },
  { 0x3f, &haswell },     { 0x3d, &haswell },     { 0x47, &haswell },
  { 0x4f, &haswell },     { 0x56, &haswell }, /* Broadwell's last.  */
  { 0x4e, &skylake },     { 0x5e, &skylake },     { 0x55, &skylake },
  { 0x8e, &skylake },     { 0x9e, &skylake },     { 0xa5, &skylake },
  { 0xa6, &skylake }, /* Ice Lake and Tiger Lake have the same.  */
  { 0x7d, &skylake },     { 0x7e, &skylake },     { 0x6a, &skylake },
  { 0x6c, &skylake },     { 0x8c, &skylake },     { 0x8d, &skylake },
  { 0xa7, &skylake },     { 0x97, &golden_cove }, { 0x9a, &golden_cove },
  { 0xb7, &golden_cove }, { 0xba, &golden_cove }, { 0xbf, &golden_cove },
  { 0x8f, &golden_cove }, { 0xcf, &golden_cove }, { 0xad, &golden_cove },
  { 0xae, &golden_cove },
};

static const struct kind *
find_kind (const struct cpu_model *model)
{
  if (strcmp (model->vendor, "Arm") == 0)
    return &arm;
  if (strcmp (model->vendor, "GenuineIntel") == 0 && model->family == 6)
    for (size_t i = 0; i < sizeof intel / sizeof intel[0]; i++)
      if (intel[i].model == model->model)
        return intel[i].kind;
  if ((strcmp (model->vendor, "AuthenticAMD") == 0
       || strcmp (model->vendor, "HygonGenuine") == 0)
      && model->family >= 0x17 && model->family <= 0x1a)
    return &zen;
  return NULL;
}

static struct counter_event
raw (uint64_t config)
{
  return (struct counter_event){ config != 0 ? PERF_TYPE_RAW : COUNTER_NONE,
                                 config };
}

struct counter_event
counter_event (enum counter counter, const struct cpu_model *model)
{
  const struct kind *kind = find_kind (model);
  switch (counter)
    {
    case COUNTER_INSTRUCTIONS:
      return (struct counter_event){ PERF_TYPE_HARDWARE,
                                     PERF_COUNT_HW_INSTRUCTIONS };
    case COUNTER_CYCLES:
      return (struct counter_event){ PERF_TYPE_HARDWARE,
                                     PERF_COUNT_HW_CPU_CYCLES };
    case COUNTER_ITLB_HITS:
      return raw (kind != NULL ? kind->hits : 0);
    case COUNTER_WALK_CYCLES:
      return raw (kind != NULL ? kind->walk_cycles : 0);
    case COUNTER_ITLB_WALKS:
      if (kind != NULL)
        return raw (kind->walks);
      return (struct counter_event){ PERF_TYPE_HW_CACHE,
                                     PERF_COUNT_HW_CACHE_ITLB
                                         | PERF_COUNT_HW_CACHE_OP_READ << 8
                                         | PERF_COUNT_HW_CACHE_RESULT_MISS
                                               << 16 };
    default:
      return raw (0);
    }
}
