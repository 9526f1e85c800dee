/* Tests of the verdict on the TLB from times of loads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"
#include "tlb/verdict.c"

#include <string.h>

static const struct
{
  struct tlb_times times;
  enum tlb_verdict verdict;
} cases[] = {
  /* A Zen 4 in a virtual machine, seen.  */
  { { 1.09, 3.00, { 2.98, 2.98, 2.98, 2.99 }, 4 }, TLB_SPLIT },
  { { 1.09, 3.00, { 1.09, 1.10, 1.09, 1.09 }, 4 }, TLB_WHOLE },
  /* A host that has both.  */
  { { 1.09, 3.00, { 1.09, 2.98, 1.09, 2.98 }, 4 }, TLB_MIXED },
  { { 1.09, 3.00, { 2.98, 2.98, 2.98, 1.09 }, 4 }, TLB_MIXED },
  /* Or large folios, that are several entries for one huge page.  */
  { { 1.0, 3.0, { 2.0 }, 1 }, TLB_MIXED },
  { { 1.0, 3.0, { 1.2 }, 1 }, TLB_WHOLE },
  { { 1.0, 3.0, { 3.4 }, 1 }, TLB_SPLIT },
  { { 1.0, 3.0, { 0.9 }, 1 }, TLB_WHOLE },
  /* An emulator, whose time is not that of a TLB.  */
  { { 5.0, 5.1, { 5.0, 5.2 }, 2 }, TLB_UNKNOWN },
  { { 5.0, 4.0, { 5.0, 5.2 }, 2 }, TLB_UNKNOWN },
  { { 0, 0, { 0 }, 0 }, TLB_UNKNOWN },
  { { 0, 3.0, { 0, 0 }, 2 }, TLB_UNKNOWN },
  { { 1.0, 3.0, { 0 }, 0 }, TLB_UNKNOWN },
};

int
main (void)
{
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQUAL (tlb_judge (&cases[i].times), cases[i].verdict);
  group_done ("judged", count);

  /* Where there is a remedy it is one for this kind of machine, and the line
     has the time of a huge page.  */
  for (enum tlb_machine machine = 0; machine <= TLB_EITHER; ++machine)
    for (size_t i = 0; i < count; ++i)
      {
        const enum tlb_verdict verdict = cases[i].verdict;
        const char *remedy = tlb_remedy (verdict, machine);
        const char *words = tlb_words (verdict, machine, &cases[i].times);
        EXPECT ((remedy != NULL)
                == (verdict == TLB_SPLIT || verdict == TLB_MIXED));
        if (remedy != NULL)
          {
            bool host = machine != TLB_PHYSICAL;
            EXPECT ((strstr (remedy, "on the host") != NULL) == host);
            EXPECT ((strstr (words, "host backs") != NULL) == host);
          }
        EXPECT (strchr (words, '\n') == NULL
                && strstr (words, "ns a load: ") != NULL
                && words[strlen (words) - 1] == ')');
      }
  EXPECT (strstr (tlb_words (TLB_SPLIT, TLB_VIRTUAL, &cases[0].times),
                  ": 3.0 in a huge page, 3.0 in as many small pages, 1.1 in")
          != NULL);
  group_done ("said", 3 * count);
  return 0;
}
