/* The instruction TLBs of a processor, and its simulation.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CPU_H
#define CPU_H

#include "tlb.h"

/* A TLB as the description of a processor gives it.  */
struct tlb_shape
{
  unsigned int level; /* The level, 1 or 2.  */
  bool holds[PAGE_CLASSES];
  bool data; /* True if the TLB holds translations of data as well as of
                instructions.  */
  uint32_t entries, ways;
};

/* The maximum number of TLBs of a CPU: two levels, each of which has a TLB
   for each of two kinds of pages.  */
#define CPU_TLBS_MAX 4

/* A processor, as the file with its description gives it.  */
struct cpu
{
  char name[48];
  struct tlb_shape tlb[CPU_TLBS_MAX];
  size_t ntlbs;
  double hit2;               /* Cycles of a hit in level 2.  */
  double walk[PAGE_CLASSES]; /* Cycles of a page walk.  */
  unsigned int coalesce;     /* How many small pages one entry can hold, if the
                                pages are adjacent both in physical memory and
                                in virtual addresses.  */
};

/* Read the file NAME into CPU.  If the file is wrong, end the program with a
   message.  */
extern void cpu_read (const char *name, struct cpu *cpu);

/* In each TLB that also holds translations of data, leave PERCENT of the
   entries for text.  */
extern void cpu_share (struct cpu *cpu, unsigned int percent);

/* A simulated processor that executes the pages of one layout.  */
struct core
{
  const struct cpu *cpu;
  struct tlb tlb[CPU_TLBS_MAX];
  int level[2][PAGE_CLASSES];    /* The index into TLB for each level and kind
                                    of page, or -1 if there is no such
                                    TLB.  */
  uint64_t misses[PAGE_CLASSES]; /* Misses of level 1.  */
  uint64_t walks[PAGE_CLASSES];
};

extern void core_init (struct core *core, const struct cpu *cpu);
extern void core_free (struct core *core);

/* Reset the counts; the TLBs remain filled.  */
extern void core_reset (struct core *core);

/* Empty the TLBs; the counts remain.  */
extern void core_empty (struct core *core);

/* Simulate that the program executes in the COUNT units of LIST, in this
   order.  TABLE describes the units from 0 to UNITS - 1.  */
extern void core_run (struct core *core, const struct unit *table,
                      size_t units, const uint32_t *list, size_t count);

/* Return the cycles lost so far.  */
extern double core_cycles (const struct core *core);

#endif
