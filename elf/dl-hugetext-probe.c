/* Questions to the kernel: which parts of a mapping are huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions only ask.  There are three ways to ask, and one function
   chooses.  (1) The PAGEMAP_SCAN ioctl tells the kind of every page, but a
   filter may kill for it, and finding out about filters takes longer than all
   other questions.  (2) /proc/self/pagemap tells which pages are present: if
   all pages of a block are, and none was before one page was touched, the
   fault got a huge page.  (3) Where there is no /proc, the loader asks the
   kernel to make a block huge, and the kernel agrees if it is huge.  The
   loader never reads /proc/self/smaps: in a running process that takes time in
   proportion to the process's size.  */

#include "dl-hugetext-probe.h"
#include "dl-hugetext-sys.h"

/* The arguments of the PAGEMAP_SCAN ioctl of /proc/PID/pagemap (Linux 6.7,
   admin-guide/mm/pagemap.rst); older headers lack them.  */
struct scan_region
{
  uint64_t start, end, categories;
};

struct scan_arguments
{
  uint64_t size, flags, start, end, walk_end;
  uint64_t regions, nregions, max_pages;
  uint64_t inverted, all_of, any_of, returned;
};

#define SCAN_FILE (UINT64_C (1) << 2)
#define SCAN_PRESENT (UINT64_C (1) << 3)
#define SCAN_HUGE (UINT64_C (1) << 6)
#define SCAN_REQUEST \
  ((3UL << 30) | (sizeof (struct scan_arguments) << 16) | ('f' << 8) | 16)
#define SCAN_REGIONS 8

/* The bits of an entry of /proc/PID/pagemap, by the same document; any program
   may read its own.  */
#define ENTRY_FILE (UINT64_C (1) << 61)
#define ENTRY_SWAPPED (UINT64_C (1) << 62)
#define ENTRY_PRESENT (UINT64_C (1) << 63)

/* Whether /proc/self/pagemap is open.  The loader tries to open it once: each
   refusal is a line in an audit log.  */
static bool
has_pagemap (struct hugetext_attempt *attempt)
{
  enum
  {
    REFUSED = -2,
  };
  if (attempt->lessons->no_pagemap)
    return false;
  if (attempt->pagemap != REFUSED && attempt->pagemap < 0)
    {
      long int fd = sys_open ("/proc/self/pagemap");
      attempt->pagemap = sys_failed (fd) ? REFUSED : fd;
      attempt->lessons->no_pagemap = fd == -EACCES || fd == -EPERM;
    }
  return attempt->pagemap >= 0;
}

/* Whether the loader may use the ioctl.  */
static bool
can_scan (struct hugetext_attempt *attempt)
{
  return (_dl_hugetext_can (attempt, HUGETEXT_CAN_SCAN)
          && has_pagemap (attempt));
}

/* Whether the loader reads /proc/self/pagemap: at a start, while it does not
   know yet whether it may use the ioctl, or if it may not.  */
static bool
may_read (struct hugetext_attempt *attempt)
{
  return ((!attempt->asked || !_dl_hugetext_can (attempt, HUGETEXT_CAN_SCAN))
          && has_pagemap (attempt));
}

/* The number of entries that one read takes.  */
#define ENTRIES \
  (sizeof ((struct hugetext_scratch *) NULL)->entry / sizeof (uint64_t))

/* Read the entries of the N pages, ENTRIES at most, at START.  NULL if that
   cannot be done.  */
static const uint64_t *
read_entries (struct hugetext_attempt *attempt, uintptr_t start, size_t n)
{
  uint64_t *entry = attempt->scratch->entry;
  return (sys_pread (attempt->pagemap, (uintptr_t) entry, n * sizeof *entry,
                     start / attempt->geo.page * sizeof *entry)
                  == (long int) (n * sizeof *entry)
              ? entry
              : NULL);
}

/* Have the kernel list the huge pages in [START, END): call RECORD for each
   range.  False if the kernel cannot.  */
static bool
scan (struct hugetext_attempt *attempt, uintptr_t start, uintptr_t end,
      void (*record) (void *, uintptr_t, uintptr_t), void *closure)
{
  /* Cleared, because valgrind does not know that the kernel fills it.  */
  struct scan_region region[SCAN_REGIONS] = { { 0 } };

  if (!can_scan (attempt))
    return false;
  while (start < end)
    {
      struct scan_arguments arguments = { .size = sizeof arguments,
                                          .start = start,
                                          .end = end,
                                          .regions = (uintptr_t) region,
                                          .nregions = SCAN_REGIONS,
                                          .all_of = SCAN_HUGE,
                                          .returned = SCAN_HUGE };
      long int n = sys_ioctl (attempt->pagemap, SCAN_REQUEST, &arguments);
      if (n == -ENOTTY)
        _dl_hugetext_refused (attempt, HUGETEXT_CAN_SCAN);
      if (sys_failed (n) || n > SCAN_REGIONS || arguments.walk_end <= start)
        return false;
      for (long int i = 0; i < n; ++i)
        record (closure, region[i].start, region[i].end);
      start = arguments.walk_end;
    }
  return true;
}

/* Answer for _dl_hugetext_has_private by reading the entries.  */
static enum hugetext_answer
read_private (struct hugetext_attempt *attempt, uintptr_t start, uintptr_t end)
{
  size_t page = attempt->geo.page;
  for (size_t n; start < end; start += n * page)
    {
      n = hugetext_min ((end - start) / page, ENTRIES);
      const uint64_t *entry = read_entries (attempt, start, n);
      if (entry == NULL)
        return HUGETEXT_NOT_ASKED;
      /* Most pages have not been touched, and their entries are 0.  */
      for (size_t i = 0; i < n; ++i)
        if (entry[i] != 0 && (entry[i] & (ENTRY_PRESENT | ENTRY_SWAPPED)) != 0
            && (entry[i] & ENTRY_FILE) == 0)
          return HUGETEXT_YES;
    }
  return HUGETEXT_NO;
}

enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_attempt *attempt, uintptr_t start,
                          uintptr_t end)
{
  struct scan_region region = { 0 };
  /* Look for pages that are present and not of a file; one page is enough.  */
  struct scan_arguments arguments = { .size = sizeof arguments,
                                      .start = start,
                                      .end = end,
                                      .regions = (uintptr_t) &region,
                                      .nregions = 1,
                                      .max_pages = 1,
                                      .inverted = SCAN_FILE,
                                      .all_of = SCAN_PRESENT | SCAN_FILE,
                                      .returned = SCAN_PRESENT };

  if (may_read (attempt))
    {
      enum hugetext_answer answer = read_private (attempt, start, end);
      if (answer != HUGETEXT_NOT_ASKED)
        return answer;
    }
  if (!can_scan (attempt))
    return HUGETEXT_NOT_ASKED;
  long int n = sys_ioctl (attempt->pagemap, SCAN_REQUEST, &arguments);
  if (n == -ENOTTY)
    _dl_hugetext_refused (attempt, HUGETEXT_CAN_SCAN);
  return (sys_failed (n) ? HUGETEXT_NOT_ASKED
          : n > 0        ? HUGETEXT_YES
                         : HUGETEXT_NO);
}

static void
add_bytes (void *sum, uintptr_t start, uintptr_t end)
{
  *(long int *) sum += end - start;
}

long int
_dl_hugetext_kernel_huge (struct hugetext_attempt *attempt, uintptr_t start,
                          uintptr_t end)
{
  long int bytes = 0;
  return scan (attempt, start, end, add_bytes, &bytes) ? bytes : -1;
}

/* The blocks that a scan marks as huge.  */
struct block_scan
{
  uintptr_t start, block;
  bool *huge;
};

static void
mark_blocks (void *closure, uintptr_t start, uintptr_t end)
{
  struct block_scan *blocks = closure;
  for (uintptr_t a = start; a < end; a += blocks->block)
    blocks->huge[(a - blocks->start) / blocks->block] = true;
}

/* Whether all N pages at START are present.  */
static bool
is_present (struct hugetext_attempt *attempt, uintptr_t start, size_t n)
{
  for (size_t some; n > 0; n -= some, start += some * attempt->geo.page)
    {
      some = hugetext_min (n, ENTRIES);
      const uint64_t *entry = read_entries (attempt, start, some);
      for (size_t i = 0; i < some; ++i)
        if (entry == NULL || (entry[i] & ENTRY_PRESENT) == 0)
          return false;
    }
  return true;
}

bool
_dl_hugetext_untouched (struct hugetext_attempt *attempt, uintptr_t start)
{
  /* With THP disabled, a kernel may map all small pages of a large folio in
     one fault (finish_fault, for tmpfs from Linux 6.11 on), so that present
     pages tell nothing.  */
  return (may_read (attempt) && !attempt->thp_disabled
          && !is_present (attempt, start, 1));
}

/* Whether the kernel gathers BLOCK now, or has gathered it before.  */
static bool
is_gathered (struct hugetext_attempt *attempt, uintptr_t block)
{
  return (_dl_hugetext_may_collapse (attempt)
          && !sys_failed (sys_collapse (block, attempt->geo.block)));
}

size_t
_dl_hugetext_probe (struct hugetext_attempt *attempt, uintptr_t start,
                    size_t nblocks, bool untouched, bool gather, bool huge[])
{
  const struct hugetext_geometry *geo = &attempt->geo;
  struct block_scan blocks = { start, geo->block, huge };
  bool present = untouched && may_read (attempt);
  size_t n = 0;

  for (size_t i = 0; i < nblocks; ++i)
    huge[i] = false;
  if (present
      || !scan (attempt, start, start + nblocks * geo->block, mark_blocks,
                &blocks))
    for (size_t i = 0; i < nblocks; ++i)
      {
        uintptr_t block = start + i * geo->block;
        huge[i]
            = (present ? is_present (attempt, block, geo->block / geo->page)
                       : gather && is_gathered (attempt, block));
      }
  for (size_t i = 0; i < nblocks; ++i)
    n += huge[i];
  return n;
}
