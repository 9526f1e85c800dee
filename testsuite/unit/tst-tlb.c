/* Test the verdict on the TLB that follows from the times of loads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"
#include "tlb/tlb.c"

#include <string.h>

static const struct
{
  struct tlb_times times;
  enum tlb_verdict verdict;
} cases[] = {
  /* Times from a Zen 4 in a virtual machine.  */
  { { 1.09, 3.00, { 2.98, 2.98, 2.98, 2.99 }, 4 }, TLB_SPLIT },
  { { 1.09, 3.00, { 1.09, 1.10, 1.09, 1.09 }, 4 }, TLB_WHOLE },
  /* A host that has both whole and split huge pages.  */
  { { 1.09, 3.00, { 1.09, 2.98, 1.09, 1.09 }, 4 }, TLB_SPLIT },
  /* Or a host with large folios, for which a huge page needs several entries
     in the TLB.  */
  { { 1.0, 3.0, { 2.0 }, 1 }, TLB_SPLIT },
  { { 1.0, 3.0, { 1.2 }, 1 }, TLB_WHOLE },
  { { 1.0, 3.0, { 0.9 }, 1 }, TLB_WHOLE },
  /* An emulator, whose times do not depend on a TLB.  */
  { { 5.0, 5.1, { 5.0, 5.2 }, 2 }, TLB_UNKNOWN },
  { { 5.0, 4.0, { 5.0, 5.2 }, 2 }, TLB_UNKNOWN },
  { { 0, 0, { 0 }, 0 }, TLB_UNKNOWN },
  { { 0, 3.0, { 0, 0 }, 2 }, TLB_UNKNOWN },
};

static const struct tlb_times *probed;

bool
tlb_probe (struct tlb_times *times, struct problem *problem)
{
  if (probed == NULL)
    return problem_set (problem, "it is a test");
  *times = *probed;
  return true;
}

int
main (void)
{
  const size_t count = sizeof cases / sizeof cases[0];
  EXPECT (strstr (tlb_look ().words, "as one entry: it is a test") != NULL);
  for (size_t i = 0; i < count; ++i)
    {
      probed = &cases[i].times;
      const struct tlb_finding finding = tlb_look ();
      EXPECT_EQUAL (finding.verdict, cases[i].verdict);
      EXPECT ((finding.remedy != NULL) == (finding.verdict == TLB_SPLIT));
      EXPECT (strchr (finding.words, '\n') == NULL
              && finding.words[strlen (finding.words) - 1] == ')');
    }
  probed = &cases[0].times;
  EXPECT (strstr (tlb_look ().words,
                  ": 3.0 in a huge page, 3.0 in many small pages, "
                  "1.1 in few)")
          != NULL);
  EXPECT (
      strcmp (tlb_measure (TLB_READER_COMMAND, ""), "hugetext measure COMMAND")
      == 0);
  EXPECT (strcmp (tlb_measure (TLB_READER_SERVICE, "a.service"),
                  "hugetext measure --service=a.service --attach")
          == 0);
  EXPECT (strcmp (tlb_measure (TLB_READER_ANY, ""),
                  "hugetext measure COMMAND, or --service=NAME --attach")
          == 0);
  group_done ("judged", count + 5);
  return 0;
}
