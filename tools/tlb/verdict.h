/* The verdict on the TLB, from times of loads, and its words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TLB_VERDICT_H
#define TLB_VERDICT_H

#include "tlb/probe.h"

/* The state of a huge page in the TLB.  */
enum tlb_verdict
{
  TLB_WHOLE,   /* A huge page takes one entry, as it should.  */
  TLB_SPLIT,   /* A huge page takes many entries: only page walks get
                  shorter.  */
  TLB_MIXED,   /* Huge pages differ, or are split into fewer parts.  */
  TLB_UNKNOWN, /* The times do not tell.  */
};

/* Return the verdict from TIMES.  */
extern enum tlb_verdict tlb_judge (const struct tlb_times *times);

/* The kind of machine: virtual or not.  */
enum tlb_machine
{
  TLB_VIRTUAL,
  TLB_PHYSICAL,
  TLB_EITHER, /* The kind is not known.  */
};

/* Return VERDICT on a MACHINE as one line with TIMES, in static memory.  */
extern const char *tlb_words (enum tlb_verdict verdict,
                              enum tlb_machine machine,
                              const struct tlb_times *times);

/* Return the remedy; NULL if there is none.  */
extern const char *tlb_remedy (enum tlb_verdict verdict,
                               enum tlb_machine machine);

#endif
