/* Find out whether huge pages help the TLB of this machine.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tlb/tlb.h"

#include <stdio.h>
#include <stdlib.h>

/* Loads from many small pages must take at least this many times as long as
   loads from a few small pages; otherwise the measurement allows no verdict.
   An access that misses the first-level TLB and hits the second-level TLB
   takes 6 cycles or more, in addition to the 4 or 5 cycles of a load.  */
#define TELLS 1.25

/* H is the time of loads from a huge page, F the time of loads from a few
   small pages, and M the time of loads from many small pages.  A huge page
   counts as one TLB entry if (H - F) / (M - F) is less than NEARLY.  */
#define NEARLY 0.3

static enum tlb_verdict
tlb_judge_times (const struct tlb_times *times)
{
  if (times->count == 0 || !(times->near > 0)
      || times->apart < times->near * TELLS)
    return TLB_UNKNOWN;
  for (size_t i = 0; i < times->count; ++i)
    if (times->huge[i] - times->near >= NEARLY * (times->apart - times->near))
      return TLB_SPLIT;
  return TLB_WHOLE;
}

static int
tlb_compare_values (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

struct tlb_finding
tlb_look (void)
{
  static const char *const verdicts[]
      = { [TLB_WHOLE] = "the TLB holds a huge page as one entry",
          [TLB_SPLIT] = "the TLB splits huge pages (the virtual machine's "
                        "host probably uses small ones): huge text gains less",
          [TLB_UNKNOWN] = "the measurement does not show whether the TLB "
                          "holds a huge page as one entry" };
  static char words[256];
  struct tlb_times times;
  struct problem problem;
  bool good = tlb_probe (&times, &problem);
  struct tlb_finding finding
      = { .verdict = good ? tlb_judge_times (&times) : TLB_UNKNOWN,
          .words = words };
  if (!good)
    {
      snprintf (words, sizeof words,
                "it is not known whether the TLB holds a huge page as one "
                "entry: %.100s",
                problem.text);
      return finding;
    }
  qsort (times.huge, times.count, sizeof times.huge[0], tlb_compare_values);
  snprintf (words, sizeof words,
            "%s (ns per load: %.1f in a huge page, %.1f in many small pages, "
            "%.1f in few)",
            verdicts[finding.verdict],
            times.count > 0 ? times.huge[times.count / 2] : 0, times.apart,
            times.near);
  if (finding.verdict == TLB_SPLIT)
    finding.remedy = "use huge pages on the host; or measure the gain: ";
  return finding;
}

const char *
tlb_measure (enum tlb_reader reader, const char *name)
{
  /* The name of a systemd unit has at most 255 bytes.  */
  static char words[384];
  static const struct
  {
    const char *before, *after; /* The parts of the command before and after
                                   the name of the measured command or
                                   service.  */
  } forms[] = {
    [TLB_READER_COMMAND] = { "hugetext measure COMMAND", "" },
    [TLB_READER_SERVICE] = { "hugetext measure --service=", " --attach" },
    [TLB_READER_ANY]
    = { "hugetext measure COMMAND, or --service=NAME --attach", "" },
  };
  snprintf (words, sizeof words, "%s%s%s", forms[reader].before, name,
            forms[reader].after);
  return words;
}
