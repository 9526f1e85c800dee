/* The verdict on the TLB, from times of loads, and its words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tlb/verdict.h"

#include <stdio.h>

/* The least ratio of loads from many small pages to loads from a few for any
   verdict: a miss in the first level that hits the second takes 6 cycles or
   more, beside the 4 or 5 of a load.  */
#define TELLS 1.25

/* The share of the way from the times of few pages to those of many within
   which a huge page counts as the one or the other.  */
#define NEARLY 0.3

enum tlb_verdict
tlb_judge (const struct tlb_times *times)
{
  size_t whole = 0, split = 0;
  if (times->count == 0 || !(times->near > 0)
      || times->apart < times->near * TELLS)
    return TLB_UNKNOWN;
  for (size_t i = 0; i < times->count; ++i)
    {
      double share
          = ((times->huge[i] - times->near) / (times->apart - times->near));
      whole += share < NEARLY;
      split += share > 1 - NEARLY;
    }
  return (whole == times->count   ? TLB_WHOLE
          : split == times->count ? TLB_SPLIT
                                  : TLB_MIXED);
}

static double
median_huge (const struct tlb_times *times)
{
  /* Find the median.  */
  for (size_t i = 0; i < times->count; ++i)
    {
      size_t less = 0, equal = 0;
      for (size_t k = 0; k < times->count; ++k)
        {
          less += times->huge[k] < times->huge[i];
          equal += times->huge[k] == times->huge[i];
        }
      if (less <= times->count / 2 && less + equal > times->count / 2)
        return times->huge[i];
    }
  return 0;
}

const char *
tlb_words (enum tlb_verdict verdict, enum tlb_machine machine,
           const struct tlb_times *times)
{
  static char words[512];
  const char *host
      = (machine == TLB_VIRTUAL
             ? " that this virtual machine's host backs with small ones"
             : " (in a virtual machine: that its host backs with small ones)");
  char seen[160];
  snprintf (seen, sizeof seen,
            "ns a load: %.1f in a huge page, %.1f in as many small pages, %.1f"
            " in few; of data, since fetching instructions cannot be timed"
            " so",
            median_huge (times), times->apart, times->near);
  switch (verdict)
    {
    case TLB_WHOLE:
      snprintf (words, sizeof words, "takes huge pages whole (%s)", seen);
      break;
    case TLB_SPLIT:
      snprintf (words, sizeof words,
                "splits huge pages%s: only page walks get shorter (%s)",
                machine == TLB_PHYSICAL ? ", having no entries for them"
                                        : host,
                seen);
      break;
    case TLB_MIXED:
      snprintf (words, sizeof words,
                "takes some huge pages whole, or in few parts, and splits"
                " others%s (%s)",
                machine == TLB_PHYSICAL ? "" : host, seen);
      break;
    case TLB_UNKNOWN:
      snprintf (words, sizeof words,
                "whether it takes huge pages whole cannot be seen (%s)", seen);
      break;
    }
  return words;
}

const char *
tlb_remedy (enum tlb_verdict verdict, enum tlb_machine machine)
{
  if (verdict != TLB_SPLIT && verdict != TLB_MIXED)
    return NULL;
  if (machine == TLB_PHYSICAL)
    return "see what it brings: hugetext measure COMMAND";
  return "huge pages on the host for this guest (libvirt: <hugepages/>; QEMU:"
         " memory-backend-memfd with hugetlb=on, or THP always), in a cloud"
         " another type of machine";
}
