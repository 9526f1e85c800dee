/* The verdict on the TLB, from times of loads, and its words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TLB_VERDICT_H
#define TLB_VERDICT_H

#include "tlb/probe.h"

/* The state of a huge page in the TLB.  */
enum tlb_verdict
{
  TLB_WHOLE,   /* One entry, as it should be.  */
  TLB_SPLIT,   /* Many: only page walks get shorter.  */
  TLB_MIXED,   /* The one or the other, or fewer parts.  */
  TLB_UNKNOWN, /* The times do not tell.  */
};

/* The verdict from TIMES.  */
extern enum tlb_verdict tlb_judge (const struct tlb_times *times);

/* Whether this is a virtual machine.  */
enum tlb_machine
{
  TLB_VIRTUAL,
  TLB_PHYSICAL,
  TLB_EITHER, /* It is not known.  */
};

/* VERDICT on a MACHINE in one line, with TIMES, in static memory.  */
extern const char *tlb_words (enum tlb_verdict verdict,
                              enum tlb_machine machine,
                              const struct tlb_times *times);

/* The remedy; NULL if there is none.  */
extern const char *tlb_remedy (enum tlb_verdict verdict,
                               enum tlb_machine machine);

#endif
