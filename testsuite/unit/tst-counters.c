/* Which events of which CPU count what.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"
#include "../../tools/counter-table.c"

/* The three raw events of a CPU, 0 for none.  */
static const struct
{
  struct cpu_model model;
  uint64_t hits, walks, cycles;
} cases[] = {
  { { "GenuineIntel", 6, 0x3f }, 0x6085, 0x0e85, 0x1085 }, /* Haswell.  */
  { { "GenuineIntel", 6, 0x4f }, 0x6085, 0x0e85, 0x1085 }, /* Broadwell.  */
  { { "GenuineIntel", 6, 0x55 }, 0x2085, 0x0e85, 0x1085 }, /* Skylake.  */
  { { "GenuineIntel", 6, 0x6a }, 0x2085, 0x0e85, 0x1085 }, /* Ice Lake.  */
  { { "GenuineIntel", 6, 0x8f }, 0x2011, 0x0e11, 0x1011 },
  { { "GenuineIntel", 6, 0xcf }, 0x2011, 0x0e11, 0x1011 },
  { { "AuthenticAMD", 0x17, 0x31 }, 0x84, 0xff85, 0 },
  { { "AuthenticAMD", 0x19, 0x11 }, 0x84, 0xff85, 0 },
  { { "AuthenticAMD", 0x1a, 0x02 }, 0x84, 0xff85, 0 },
  { { "HygonGenuine", 0x18, 0x01 }, 0x84, 0xff85, 0 },
  { { "Arm", 0, 0 }, 0x02, 0x35, 0 },
};

/* Of these nothing is known but what the kernel has names for.  */
static const struct cpu_model unknown[] = {
  { "", 0, 0 },
  { "GenuineIntel", 6, 0x1c }, /* Bonnell: other events.  */
  { "GenuineIntel", 15, 0x55 },
  { "AuthenticAMD", 0x15, 0x02 },
  { "CentaurHauls", 6, 0x55 },
};

static void
check (const struct cpu_model *model, enum counter counter, uint32_t type,
       uint64_t config)
{
  struct counter_event event = counter_event (counter, model);
  EXPECT_EQUAL (event.type, type);
  if (type != COUNTER_NONE)
    EXPECT_EQUAL (event.config, config);
}

static void
check_raw (const struct cpu_model *model, enum counter counter,
           uint64_t config)
{
  check (model, counter, config != 0 ? PERF_TYPE_RAW : COUNTER_NONE, config);
}

int
main (void)
{
  const struct cpu_model any = { "", 0, 0 };
  check (&any, COUNTER_INSTRUCTIONS, PERF_TYPE_HARDWARE,
         PERF_COUNT_HW_INSTRUCTIONS);
  check (&any, COUNTER_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  group_done ("events of all CPUs", 2);
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; i++)
    {
      check_raw (&cases[i].model, COUNTER_ITLB_HITS, cases[i].hits);
      check_raw (&cases[i].model, COUNTER_ITLB_WALKS, cases[i].walks);
      check_raw (&cases[i].model, COUNTER_WALK_CYCLES, cases[i].cycles);
    }
  group_done ("events of known CPUs", 3 * count);
  const size_t nunknown = sizeof unknown / sizeof unknown[0];
  for (size_t i = 0; i < nunknown; i++)
    {
      check (&unknown[i], COUNTER_ITLB_HITS, COUNTER_NONE, 0);
      check (&unknown[i], COUNTER_WALK_CYCLES, COUNTER_NONE, 0);
      /* ITLB, reads, misses.  */
      check (&unknown[i], COUNTER_ITLB_WALKS, PERF_TYPE_HW_CACHE, 0x10004);
    }
  group_done ("events of other CPUs", 3 * nunknown);
  return 0;
}
