/* The probe of the data TLB: times of loads in huge and small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TLB_PROBE_H
#define TLB_PROBE_H

#include <stddef.h>

/* Huge pages that are tried: a host may back some of them whole, others in
   parts.  */
enum
{
  TLB_PROBE_PAGES = 8,
};

/* Nanoseconds of a load that needs the one before it.  */
struct tlb_times
{
  double near;                  /* All in few small pages,  */
  double apart;                 /* each in a small page of its own,  */
  double huge[TLB_PROBE_PAGES]; /* and in as many places of a huge page;  */
  size_t count;                 /* there were so many of those.  */
};

/* Time loads, in some milliseconds and 17 MiB of memory that are given back.
   Returns why that cannot be, NULL if it could.  */
extern const char *tlb_probe (struct tlb_times *times);

#endif
