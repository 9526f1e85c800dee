/* Tests of text on huge pages: what the kernel says about the pages, and the
   functions of the test modules.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TST_HUGETEXT_H
#define TST_HUGETEXT_H 1

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/check.h>
#include <support/xstdio.h>
#include <support/xunistd.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif

/* Define a function that has about 64 KiB of text, and returns its number.  */
#define HUGETEXT_FUNCTION(name, number) \
  static int name##number (void)        \
  {                                     \
    if (name##never != 0)               \
      asm volatile(".space 65024, 0");  \
    return number;                      \
  }

#define HUGETEXT_TEN(use, name, tens)                                 \
  use (name, tens##0) use (name, tens##1) use (name, tens##2)         \
      use (name, tens##3) use (name, tens##4) use (name, tens##5)     \
          use (name, tens##6) use (name, tens##7) use (name, tens##8) \
              use (name, tens##9)

#define HUGETEXT_NINETY(use, name) \
  HUGETEXT_TEN (use, name, 1)      \
  HUGETEXT_TEN (use, name, 2)      \
  HUGETEXT_TEN (use, name, 3)      \
  HUGETEXT_TEN (use, name, 4)      \
  HUGETEXT_TEN (use, name, 5)      \
  HUGETEXT_TEN (use, name, 6)      \
  HUGETEXT_TEN (use, name, 7)      \
  HUGETEXT_TEN (use, name, 8) HUGETEXT_TEN (use, name, 9)

#define HUGETEXT_ENTRY(name, number) name##number,

enum
{
  FIRST_NUMBER = 10,
  NFUNCTIONS = 90
};

typedef int (*hugetext_function) (void);

/* Define the 90 functions NAME10 to NAME99, and NAME, an array of them.  */
#define HUGETEXT_FUNCTIONS(name)                   \
  extern const hugetext_function name[NFUNCTIONS]; \
  static volatile int name##never;                 \
  HUGETEXT_NINETY (HUGETEXT_FUNCTION, name)        \
  const hugetext_function name[NFUNCTIONS]         \
      = { HUGETEXT_NINETY (HUGETEXT_ENTRY, name) }

/* Call all FUNCTIONS.  */
static inline void
call_all (const hugetext_function functions[])
{
  for (int i = 0; i < NFUNCTIONS; ++i)
    TEST_COMPARE (functions[i](), FIRST_NUMBER + i);
}

/* Return how many bytes the kernel has mapped with huge pages, in all mappings
   that contain an address in the range [START, END).  Huge pages of the
   hugetlb pool do not count.  */
static inline unsigned long int
huge_bytes (uintptr_t start, uintptr_t end)
{
  FILE *smaps = xfopen ("/proc/self/smaps", "r");
  unsigned long int huge = 0;
  bool inside = false;
  char *line = NULL;
  size_t size = 0;
  while (xgetline (&line, &size, smaps))
    {
      uintptr_t from, to;
      unsigned long int kib;
      if (sscanf (line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
        inside = from < end && to > start;
      else if (inside
               && (sscanf (line, "AnonHugePages: %lu", &kib) == 1
                   || sscanf (line, "ShmemPmdMapped: %lu", &kib) == 1
                   || sscanf (line, "FilePmdMapped: %lu", &kib) == 1))
        huge += kib * 1024;
    }
  free (line);
  xfclose (smaps);
  return huge;
}

static inline unsigned long int
huge_text (const hugetext_function functions[])
{
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (int i = 0; i < NFUNCTIONS; ++i)
    {
      const uintptr_t at = (uintptr_t) functions[i];
      start = at < start ? at : start;
      end = at > end ? at : end;
    }
  return huge_bytes (start, end + 1);
}

/* End the test if the kernel gives no process a huge page, because huge pages
   are switched off or memory is fragmented.  */
static inline void
need_huge_pages (void)
{
  const size_t size = 4UL << 20, block = 2UL << 20;
  FILE *switched = fopen ("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  char state[64] = "";
  if (switched == NULL || fgets (state, sizeof state, switched) == NULL
      || strstr (state, "[never]") != NULL)
    FAIL_UNSUPPORTED ("transparent huge pages are off: %s", state);
  xfclose (switched);
  char *room = xmmap (NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1);
  char *page = (char *) (((uintptr_t) room + block - 1) & -block);
  madvise (page, block, MADV_HUGEPAGE);
  memset (page, 1, block);
  if (huge_bytes ((uintptr_t) page, (uintptr_t) page + block) == 0)
    madvise (page, block, MADV_COLLAPSE);
  const unsigned long int huge
      = huge_bytes ((uintptr_t) page, (uintptr_t) page + block);
  xmunmap (room, size);
  if (huge == 0)
    FAIL_UNSUPPORTED ("the kernel has no huge page to give");
}

#endif /* tst-hugetext.h */
