/* What the kernel has mapped with huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only.  There are five ways to ask, one function chooses.  The
   PAGEMAP_SCAN ioctl tells of every page, but a filter may kill for it, and to
   know of filters takes longer than all the rest.  /proc/self/smaps tells a
   sum for each mapping, and is slow.  mincore, and what is read from
   /proc/self/pagemap, tell what is present: all of a block after one page of
   it was touched means that the fault got a huge page, provided that nothing
   was present before.  Where there is no /proc, the kernel is asked to make a
   block huge, and says yes if it is.  */

#include "dl-hugetext-probe.h"
#include "dl-hugetext-procfile.h"
#include "dl-hugetext-sys.h"

/* The PAGEMAP_SCAN ioctl of /proc/PID/pagemap (Linux 6.7, documented in
   admin-guide/mm/pagemap.rst); our build headers may be older.  */
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

/* An entry of that file, from which any program may read its own, by the same
   document.  */
#define ENTRY_FILE (UINT64_C (1) << 61)
#define ENTRY_SWAPPED (UINT64_C (1) << 62)
#define ENTRY_PRESENT (UINT64_C (1) << 63)

/* Whether /proc/self/pagemap is open.  */
static bool
has_pagemap (struct hugetext_attempt *attempt)
{
  if (attempt->pagemap < 0)
    {
      long int fd = sys_open ("/proc/self/pagemap");
      if (!sys_failed (fd))
        attempt->pagemap = fd;
    }
  return attempt->pagemap >= 0;
}

/* Whether it can be asked by ioctl.  */
static bool
can_scan (struct hugetext_attempt *attempt)
{
  return (_dl_hugetext_can (attempt, HUGETEXT_CAN_SCAN)
          && has_pagemap (attempt));
}

/* Whether that is unknown yet, at a start, where it can be read instead.  */
static bool
may_read (struct hugetext_attempt *attempt)
{
  return (attempt->start
          && (!attempt->asked
              || !_dl_hugetext_can (attempt, HUGETEXT_CAN_SCAN))
          && has_pagemap (attempt));
}

/* Entries that are read at once: 2 KiB.  Only at a start, whose stack is
   large.  */
#define ENTRIES 256

/* Set ENTRY to those of the N pages at START.  */
static bool
read_entries (struct hugetext_attempt *attempt, uintptr_t start, size_t n,
              uint64_t entry[])
{
  return (sys_pread (attempt->pagemap, (uintptr_t) entry, n * sizeof *entry,
                     start / attempt->geo.page * sizeof *entry)
          == (long int) (n * sizeof *entry));
}

/* Have the kernel list the huge pages in [START, END): call RECORD for each
   piece.  False if it cannot.  */
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
      struct scan_arguments arguments =
        { .size = sizeof arguments, .start = start, .end = end,
          .regions = (uintptr_t) region, .nregions = SCAN_REGIONS,
          .all_of = SCAN_HUGE, .returned = SCAN_HUGE };
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

/* _dl_hugetext_has_private, by reading.  */
static enum hugetext_answer
read_private (struct hugetext_attempt *attempt, uintptr_t start,
              uintptr_t end)
{
  uint64_t entry[ENTRIES];
  size_t page = attempt->geo.page;
  for (size_t n; start < end; start += n * page)
    {
      n = hugetext_min ((end - start) / page, ENTRIES);
      if (!read_entries (attempt, start, n, entry))
        return HUGETEXT_NOT_ASKED;
      /* Most have not been touched.  */
      for (size_t i = 0; i < n; ++i)
        if (entry[i] != 0
            && (entry[i] & (ENTRY_PRESENT | ENTRY_SWAPPED)) != 0
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
  /* Present, and not of a file; one is enough.  */
  struct scan_arguments arguments =
    { .size = sizeof arguments, .start = start, .end = end,
      .regions = (uintptr_t) &region, .nregions = 1, .max_pages = 1,
      .inverted = SCAN_FILE, .all_of = SCAN_PRESENT | SCAN_FILE,
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
          : n > 0 ? HUGETEXT_YES : HUGETEXT_NO);
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

/* The blocks of a scan.  */
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

/* Whether all of the block at ADDRESS is resident.  */
static bool
is_resident (const struct hugetext_geometry *geo, uintptr_t address)
{
  unsigned char vector[512];
  uintptr_t step = sizeof vector * geo->page;
  for (uintptr_t a = address; a < address + geo->block; a += step)
    {
      /* All at once where a block has 512 pages, as on x86-64.  */
      if (sys_failed (sys_mincore (a, step, vector)))
        return false;
      for (size_t i = 0; i < sizeof vector; ++i)
        if ((vector[i] & 1) == 0)
          return false;
    }
  return true;
}

/* Set HUGE for each of the NBLOCKS blocks from START: whether pages of it are
   present that are far from any that may have been touched, its first, its
   last and the one in the middle, with which the kernel maps the 64 KiB
   around (fault_around_bytes in its debugfs).  False if it cannot be read.  */
static bool
read_present (struct hugetext_attempt *attempt, uintptr_t start,
              size_t nblocks, bool huge[])
{
  uint64_t entry[ENTRIES / 4];
  size_t block = attempt->geo.block;
  if (!may_read (attempt))
    return false;
  for (size_t i = 0; i < nblocks; ++i)
    {
      if (!read_entries (attempt, start + i * block + block / 4, ENTRIES / 4,
                         entry))
        return false;
      huge[i] = true;
      for (size_t k = 0; k < ENTRIES / 4; ++k)
        huge[i] &= (entry[k] & ENTRY_PRESENT) != 0;
    }
  return true;
}

/* A mapping looked for in /proc/self/smaps.  */
struct smaps_search
{
  uintptr_t start, end;
  bool found;                   /* The lines are its own.  */
  long int huge;                /* KiB.  */
};

/* The hexadecimal number at *P, which is moved behind it.  */
static uintptr_t
hexadecimal (const char **p)
{
  uintptr_t value = 0;
  for (; (**p >= '0' && **p <= '9') || (**p >= 'a' && **p <= 'f'); ++*p)
    value = value * 16 + (**p <= '9' ? **p - '0' : **p - 'a' + 10);
  return value;
}

static bool
take_smaps (void *closure, const char *line)
{
  static const char keys[][16]
    = { "AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:",
        "Private_Hugetlb" };
  struct smaps_search *search = closure;
  if (line[0] < 'A' || line[0] > 'Z')
    {
      /* The next mapping begins.  */
      if (search->found)
        return true;
      uintptr_t start = hexadecimal (&line);
      if (*line == '-')
        ++line;
      search->found = (start == search->start
                       && hexadecimal (&line) == search->end);
      return false;
    }
  long int huge;
  if (search->found)
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
      if (_dl_hugetext_line_number (line, keys[i], &huge))
        search->huge += huge;
  return false;
}

/* How many KiB smaps says are huge in the mapping [START, END), 0 if that is
   part of a larger one, -1 if it cannot be read.  */
static long int
smaps_huge (uintptr_t start, uintptr_t end)
{
  struct smaps_search search = { .start = start, .end = end };
  char line[128];
  return (_dl_hugetext_read_lines ("/proc/self/smaps", line, sizeof line,
                                   take_smaps, &search)
          ? search.huge : -1);
}

bool
_dl_hugetext_untouched (struct hugetext_attempt *attempt, uintptr_t start)
{
  unsigned char vector[1];
  return (!can_scan (attempt)
          && _dl_hugetext_can (attempt, HUGETEXT_CAN_ASK_RESIDENT)
          && !sys_failed (sys_mincore (start, attempt->geo.page, vector))
          && (vector[0] & 1) == 0);
}

bool
_dl_hugetext_tells_each (struct hugetext_attempt *attempt, bool untouched)
{
  return ((untouched && may_read (attempt))
          || _dl_hugetext_can (attempt, HUGETEXT_CAN_SCAN));
}

size_t
_dl_hugetext_probe (struct hugetext_attempt *attempt, uintptr_t start,
                    size_t nblocks, bool untouched, bool huge[])
{
  uintptr_t block = attempt->geo.block;
  uintptr_t end = start + nblocks * block;
  struct block_scan blocks = { start, block, huge };
  size_t n = 0;

  for (size_t i = 0; i < nblocks; ++i)
    huge[i] = false;
  if (untouched && read_present (attempt, start, nblocks, huge))
    ;
  else if (scan (attempt, start, end, mark_blocks, &blocks))
    ;
  else if (untouched
           && _dl_hugetext_can (attempt, HUGETEXT_CAN_ASK_RESIDENT))
    for (size_t i = 0; i < nblocks; ++i)
      huge[i] = is_resident (&attempt->geo, start + i * block);
  else
    {
      long int sum = smaps_huge (start, end);
      for (size_t i = 0; i < nblocks; ++i)
        huge[i] = (sum >= 0 ? sum == (long int) (nblocks * block / 1024)
                   : (_dl_hugetext_may_collapse (attempt)
                      && !sys_failed (sys_collapse (start + i * block,
                                                    block))));
    }
  for (size_t i = 0; i < nblocks; ++i)
    n += huge[i];
  return n;
}
