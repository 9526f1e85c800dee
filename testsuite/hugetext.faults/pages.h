/* Functions that fill pages of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   PAGES_FUNCTION (NAME) defines int NAME (void), which calls PAGES_COUNT
   functions (64, 512 or 768), each on a page of text of its own, and returns
   the sum that they compute.  */

#ifndef _PAGES_H
#define _PAGES_H 1

#define PAGE_1(n)                                                        \
  static int __attribute__ ((noinline, aligned (4096))) page_##n (int x) \
  {                                                                      \
    return x + 0x##n % 251;                                              \
  }
#define PAGE_4(n) PAGE_1 (n##0) PAGE_1 (n##4) PAGE_1 (n##8) PAGE_1 (n##c)
#define PAGE_16(n) PAGE_4 (n##0) PAGE_4 (n##4) PAGE_4 (n##8) PAGE_4 (n##c)
#define PAGE_64(n) PAGE_16 (n##0) PAGE_16 (n##4) PAGE_16 (n##8) PAGE_16 (n##c)

#define CALL_1(n) sum = page_##n (sum);
#define CALL_4(n) CALL_1 (n##0) CALL_1 (n##4) CALL_1 (n##8) CALL_1 (n##c)
#define CALL_16(n) CALL_4 (n##0) CALL_4 (n##4) CALL_4 (n##8) CALL_4 (n##c)
#define CALL_64(n) CALL_16 (n##0) CALL_16 (n##4) CALL_16 (n##8) CALL_16 (n##c)

#if PAGES_COUNT == 64
#  define PAGES(m) m (0)
#elif PAGES_COUNT == 512
#  define PAGES(m) m (0) m (1) m (2) m (3) m (4) m (5) m (6) m (7)
#elif PAGES_COUNT == 768
#  define PAGES(m) \
    m (0) m (1) m (2) m (3) m (4) m (5) m (6) m (7) m (8) m (9) m (a) m (b)
#endif

PAGES (PAGE_64)

#define PAGES_FUNCTION(name) \
  int name (void)            \
  {                          \
    int sum = 0;             \
    PAGES (CALL_64)          \
    return sum;              \
  }

#endif /* pages.h */
