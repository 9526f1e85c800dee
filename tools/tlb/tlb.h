/* The question whether huge pages help the TLB of this machine at all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TLB_H
#define TLB_H

#include "tlb/verdict.h"

struct tlb_finding
{
  enum tlb_verdict verdict;
  const char *words;  /* One line, in static memory.  */
  const char *remedy; /* The remedy; NULL if there is none.  */
};

/* Find out whether huge pages help the TLB, in some milliseconds
   (tlb/probe.h).  */
extern struct tlb_finding tlb_look (void);

#endif
