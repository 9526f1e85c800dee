/* Find out whether huge pages help the TLB of this machine.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TLB_H
#define TLB_H

#include "util/problem.h"

#include <stddef.h>

/* The number of huge pages that the measurement uses.  The host of a virtual
   machine may back some of the huge pages with huge pages of its own, and
   others with small pages.  */
enum
{
  TLB_PROBE_PAGES = 8,
};

/* The time of a load in nanoseconds, if each load waits for the result of the
   previous load.  */
struct tlb_times
{
  double near;                  /* The time of loads from a few small
                                   pages.  */
  double apart;                 /* The time of loads from different small
                                   pages, one load for each page.  */
  double huge[TLB_PROBE_PAGES]; /* The time of loads from different parts of
                                   the same huge page.  */
  size_t count;                 /* The number of huge pages that were
                                   measured.  */
};

/* Measure how long loads from huge pages and from small pages take.  The
   measurement takes a few milliseconds, and 17 MiB of memory, which is
   unmapped afterwards.  If the times cannot be measured, set PROBLEM and
   return false.  */
extern bool tlb_probe (struct tlb_times *times, struct problem *problem);

struct tlb_finding
{
  enum tlb_verdict
  {
    TLB_WHOLE,   /* A huge page takes one TLB entry.  */
    TLB_SPLIT,   /* Some or all huge pages take many TLB entries, so huge
                    pages only make page walks shorter.  */
    TLB_UNKNOWN, /* The times do not show whether the TLB holds a huge page as
                    one entry.  */
  } verdict;
  const char *words;  /* A text of one line with the result, in static
                         memory.  */
  const char *remedy; /* The beginning of the remedy, to which tlb_measure's
                         result is appended, or NULL if there is no remedy.  */
};

/* Find out by tlb_probe whether huge pages help the TLB.  */
extern struct tlb_finding tlb_look (void);

/* The reader to whom a remedy is addressed: the user of a command, the
   administrator of a service, or both.  */
enum tlb_reader
{
  TLB_READER_COMMAND,
  TLB_READER_SERVICE,
  TLB_READER_ANY,
};

/* Return, in static memory, the "hugetext measure" command with which READER
   can measure the gain.  If READER is TLB_READER_SERVICE, NAME is the service,
   otherwise "".  */
extern const char *tlb_measure (enum tlb_reader reader, const char *name);

#endif
