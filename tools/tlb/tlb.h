/* The question whether huge pages help the TLB of this machine at all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TLB_H
#define TLB_H

#include <stddef.h>

/* The number of huge pages that are tried: a host may back some of them whole,
   others in parts.  */
enum
{
  TLB_PROBE_PAGES = 8,
};

/* Times of a load that depends on the one before, in nanoseconds.  */
struct tlb_times
{
  double near;                  /* All loads in few small pages,  */
  double apart;                 /* each in a small page of its own,  */
  double huge[TLB_PROBE_PAGES]; /* each in another part of one huge page;  */
  size_t count;                 /* and the number of huge pages timed.  */
};

/* Time loads, in some milliseconds and with 17 MiB of memory, which is
   unmapped again.  Return why that is not possible, NULL if it was.  */
extern const char *tlb_probe (struct tlb_times *times);

struct tlb_finding
{
  enum tlb_verdict
  {
    TLB_WHOLE,   /* A huge page takes one entry, as it should.  */
    TLB_SPLIT,   /* Huge pages, or some, take many entries: only page walks get
                    shorter.  */
    TLB_UNKNOWN, /* The times do not tell.  */
  } verdict;
  const char *words;  /* One line, in static memory.  */
  const char *remedy; /* The remedy; NULL if there is none.  */
};

/* Find out whether huge pages help the TLB, by tlb_probe.  */
extern struct tlb_finding tlb_look (void);

#endif
