/* Queries to the kernel about which blocks of a mapping are huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If one access makes all pages of a block present, this does not prove that
   the block is huge.  A single page fault may map all small pages of a large
   folio, for example of 1 MiB (Linux 6.18).  The administrator may also make
   each fault map as many small pages as a block has (fault_around_bytes).  To
   find out whether a block is huge, the loader tries four methods.  First, the
   loader asks the kernel with PAGEMAP_SCAN (Linux 6.7), unless a seccomp
   filter may forbid this ioctl.  Second, if the block maps a file, the loader
   unmaps one page of the block and checks which pages are gone: if the page is
   a part of a huge page, the kernel always unmaps the whole huge page.  Third,
   if the block is anonymous memory without any page, the loader accesses one
   address in it.  If all pages of the block are present after this access, the
   block is huge, because a page fault in anonymous memory maps either a huge
   page or fewer pages than the block has.  Fourth, if the process may not read
   /proc/self/pagemap (AppArmor for example may deny it), the loader asks the
   kernel to collapse the block (Linux 6.1).  The kernel reports success also
   if the block was huge before.  The loader never reads /proc/self/smaps,
   because reading smaps takes longer the more memory the process uses.  */

#include <array_length.h>
#include <string.h>

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-sys.h"

/* Bits of an entry of /proc/PID/pagemap (admin-guide/mm/pagemap.rst).  Any
   process may read its own pagemap entries.  */
#define ENTRY_FILE (UINT64_C (1) << 61)
#define ENTRY_SWAPPED (UINT64_C (1) << 62)
#define ENTRY_PRESENT (UINT64_C (1) << 63)

/* If a file descriptor has this value, the loader has tried to open the file
   and failed.  */
enum
{
  FAILED = -2,
};

/* If a sandbox opens files on behalf of this process, do not open
   /proc/self/pagemap, because the loader would get the pagemap of the
   sandbox's process.  */
bool
_dl_hugetext_has_pagemap (struct hugetext_state *state)
{
  if (state->attempt.pagemap == -1 && !state->findings.no_pagemap
      && !state->attempt.foreign)
    {
      long int fd = sys_open ("/proc/self/pagemap");
      state->attempt.pagemap = sys_failed (fd) ? FAILED : fd;
      state->findings.no_pagemap = fd == -EACCES || fd == -EPERM;
    }
  return state->attempt.pagemap >= 0;
}

/* Read the pagemap entries of the pages from START to END, but at most as many
   as fit in the scratch buffer.  Set N to the number of pagemap entries that
   were read.  Return the buffer, or NULL if the entries cannot be read.  */
static const uint64_t *
read_entries (struct hugetext_state *state, uintptr_t start, uintptr_t end,
              size_t *n)
{
  uint64_t *entry = state->scratch.entry;
  *n = hugetext_min ((end - start) / state->set.geo.page,
                     array_length (state->scratch.entry));
  long int size = *n * sizeof *entry;
  return (_dl_hugetext_has_pagemap (state)
                  && sys_pread (state->attempt.pagemap, entry, size,
                                start / state->set.geo.page * sizeof *entry)
                         == size
              ? entry
              : NULL);
}

/* Return HUGETEXT_YES if IS returns true for the pagemap entry of at least one
   page in [START, END), otherwise HUGETEXT_NO.  Return HUGETEXT_NOT_ASKED if
   the pagemap entries cannot be read.  */
static enum hugetext_answer
has_entry (struct hugetext_state *state, uintptr_t start, uintptr_t end,
           bool (*is) (uint64_t entry))
{
  for (size_t n; start < end; start += n * state->set.geo.page)
    {
      const uint64_t *entry = read_entries (state, start, end, &n);
      if (entry == NULL)
        return HUGETEXT_NOT_ASKED;
      for (size_t i = 0; i < n; ++i)
        if (is (entry[i]))
          return HUGETEXT_YES;
    }
  return HUGETEXT_NO;
}

static bool
is_private (uint64_t entry)
{
  return ((entry & (ENTRY_PRESENT | ENTRY_SWAPPED)) != 0
          && (entry & ENTRY_FILE) == 0);
}

static bool
is_absent (uint64_t entry)
{
  return (entry & ENTRY_PRESENT) == 0;
}

/* Make the kernel write the first regions that SCAN selects, at most MOST of
   them, to the scratch buffer.  Return the number of regions, or a negative
   error number if the call fails or is not allowed.  */
static long int
scan_regions (struct hugetext_state *state, struct sys_scan *scan, size_t most)
{
  if (state->findings.no_scan || !_dl_hugetext_unfiltered (state)
      || !_dl_hugetext_has_pagemap (state))
    return -EPERM;
  /* Clear the buffer for valgrind, which does not know that the kernel writes
     regions of pages to it.  */
  most = hugetext_min (most, array_length (state->scratch.region));
  memset (state->scratch.region, 0, most * sizeof *state->scratch.region);
  scan->size = sizeof *scan;
  scan->regions = (uintptr_t) state->scratch.region;
  scan->nregions = most;
  long int n = sys_scan_pages (state->attempt.pagemap, scan);
  state->findings.no_scan = sys_failed (n);
  return n;
}

/* Find pages in [START, END) that are private to this process.  The kernel
   writes the ranges of the private pages, but at most the first MOST ranges,
   to the scratch buffer.  Return the number of ranges that the kernel has
   written, or a negative error number.  */
static long int
scan_private (struct hugetext_state *state, uintptr_t start, uintptr_t end,
              size_t most)
{
  struct sys_scan scan
      = { .start = start,
          .end = end,
          .inverted = SYS_PAGE_IS_FILE,
          .all_of = SYS_PAGE_IS_FILE,
          .any_of = SYS_PAGE_IS_PRESENT | SYS_PAGE_IS_SWAPPED,
          .wanted = SYS_PAGE_IS_PRESENT | SYS_PAGE_IS_SWAPPED };
  return scan_regions (state, &scan, most);
}

/* Find all ranges of private pages in objects that have a record, and remember
   them in STATE, unless there are more than HUGETEXT_PLACES.  One scan over
   the range of all objects is fast enough: the objects of a start lie close
   together, or far apart with nothing between them.  */
static void
look_at_places (struct hugetext_state *state)
{
  struct hugetext_attempt *attempt = &state->attempt;
  struct hugetext_span all = { UINTPTR_MAX, 0 };
  const struct hugetext_record *record = state->records;
  for (; record != NULL; record = record->next)
    if (record->map != NULL)
      {
        all.start = hugetext_min (all.start, record->map->l_map_start);
        all.end = hugetext_max (all.end, record->map->l_map_end);
      }
  const uintptr_t page = state->set.geo.page;
  const long int n
      = scan_private (state, all.start & -page, (all.end + page - 1) & -page,
                      HUGETEXT_PLACES + 1);
  attempt->looked
      = (!sys_failed (n) && n <= HUGETEXT_PLACES ? HUGETEXT_YES : HUGETEXT_NO);
  for (long int i = 0; attempt->looked == HUGETEXT_YES && i < n; ++i)
    state->place[attempt->nplaces++]
        = (struct hugetext_span){ state->scratch.region[i].start,
                                  state->scratch.region[i].end };
}

/* Return true if this is a program start, and the start's only scan of all
   objects (look_at_places) has found no private page in [START, END).  The
   loader does not write to text, so no page of text becomes private between
   the scan and the start of the program's code.  */
static bool
was_clean (struct hugetext_state *state, uintptr_t start, uintptr_t end)
{
  if (!state->attempt.start)
    return false;
  if (state->attempt.looked == HUGETEXT_NOT_ASKED)
    look_at_places (state);
  for (unsigned int i = 0; i < state->attempt.nplaces; ++i)
    if (state->place[i].start < end && start < state->place[i].end)
      return false;
  return state->attempt.looked == HUGETEXT_YES;
}

/* Ask the kernel whether a page in [START, END) is private to the process.
   Return HUGETEXT_NOT_ASKED if the kernel does not answer.  */
static enum hugetext_answer
find_private (struct hugetext_state *state, uintptr_t start, uintptr_t end)
{
  const long int n = scan_private (state, start, end, 1);
  return (sys_failed (n) ? HUGETEXT_NOT_ASKED
          : n > 0        ? HUGETEXT_YES
                         : HUGETEXT_NO);
}

enum hugetext_answer
_dl_hugetext_scan_private (struct hugetext_state *state, uintptr_t start,
                           uintptr_t end)
{
  return (was_clean (state, start, end) ? HUGETEXT_NO
                                        : find_private (state, start, end));
}

enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end)
{
  enum hugetext_answer answer = HUGETEXT_NO;
  struct hugetext_piece piece;
  for (; answer == HUGETEXT_NO
         && hugetext_next_piece (&state->object, start, end, &piece);
       start = piece.end)
    {
      answer = find_private (state, piece.start, piece.end);
      if (answer == HUGETEXT_NOT_ASKED)
        answer = has_entry (state, piece.start, piece.end, is_private);
    }
  return answer;
}

bool
_dl_hugetext_untouched (struct hugetext_state *state, uintptr_t start)
{
  if (!state->attempt.untouched || !state->attempt.start)
    state->attempt.untouched
        = has_entry (state, start, start + state->set.geo.page, is_absent)
          == HUGETEXT_YES;
  return state->attempt.untouched;
}

/* Fault in the page at ADDRESS by reading /proc/self/mem.  A filter must allow
   open and pread64, because the stock loader calls both in every start.  */
static bool
touch_by_file (struct hugetext_state *state, uintptr_t address)
{
  char byte;
  if (state->attempt.memory == -1 && !state->findings.no_memory
      && !state->attempt.foreign)
    {
      long int fd = sys_open ("/proc/self/mem");
      state->attempt.memory = sys_failed (fd) ? FAILED : fd;
      state->findings.no_memory = fd == -EACCES || fd == -EPERM;
    }
  return (state->attempt.memory >= 0
          && sys_pread (state->attempt.memory, &byte, 1, address) == 1);
}

bool
_dl_hugetext_touch (struct hugetext_state *state, uintptr_t address)
{
  char byte;
  if (!_dl_hugetext_may (state, HUGETEXT_ANY_ARGUMENT))
    return touch_by_file (state, address);
  const struct sys_vector local = { (uintptr_t) &byte, 1 };
  const struct sys_vector remote = { address, 1 };
  return (!sys_failed (
              sys_madvise (address, state->set.geo.page, MADV_POPULATE_READ))
          /* The kernel has MADV_POPULATE_READ only from Linux 5.14 on.  */
          || (_dl_hugetext_unfiltered (state)
              && !sys_failed (sys_read_memory (_dl_hugetext_pid (state),
                                               &local, &remote, 1))));
}

/* Ask the kernel with PAGEMAP_SCAN which of the NBLOCKS blocks from START are
   huge, and record the answer in the array HUGE.  Return false if the kernel
   does not answer.  */
static bool
probe_scan_blocks (struct hugetext_state *state, uintptr_t start,
                   size_t nblocks, bool huge[])
{
  const struct sys_region *region = state->scratch.region;
  const uintptr_t size = state->set.geo.block;
  const uintptr_t end = start + nblocks * size;
  memset (huge, 0, nblocks * sizeof *huge);
  while (start < end)
    {
      struct sys_scan scan = { .start = start,
                               .end = end,
                               .all_of = SYS_PAGE_IS_HUGE,
                               .wanted = SYS_PAGE_IS_HUGE };
      long int n = scan_regions (state, &scan, nblocks);
      if (sys_failed (n))
        return false;
      for (long int i = 0; i < n; ++i)
        for (size_t k = 0; k < nblocks; ++k)
          {
            uintptr_t block = end - (nblocks - k) * size;
            huge[k]
                |= (block >= region[i].start && block + size <= region[i].end);
          }
      start = scan.walk_end > start ? scan.walk_end : end;
    }
  return true;
}

/* Infer whether the block at START, which maps a file, is huge: unmap its
   first page, and see whether its last page is gone too.  If the mapping is
   locked in memory, the kernel unmaps nothing; in this case return
   HUGETEXT_NOT_ASKED.  */
static enum hugetext_answer
infer_file (struct hugetext_state *state, uintptr_t start)
{
  const uintptr_t page = state->set.geo.page;
  const uintptr_t end = start + state->set.geo.block;
  enum hugetext_answer part = has_entry (state, start, end, is_absent);
  if (part != HUGETEXT_NO)
    return part == HUGETEXT_YES ? HUGETEXT_NO : HUGETEXT_NOT_ASKED;
  const long int unmapped = sys_madvise (start, page, MADV_DONTNEED);
  if (sys_failed (unmapped))
    {
      _dl_hugetext_note_madvise (state, unmapped);
      return HUGETEXT_NOT_ASKED;
    }
  bool whole = has_entry (state, end - page, end, is_absent) == HUGETEXT_YES;
  return (_dl_hugetext_touch (state, start) && whole
                  && has_entry (state, start, end, is_absent) == HUGETEXT_NO
              ? HUGETEXT_YES
              : HUGETEXT_NO);
}

/* By the method that EVIDENCE allows, infer whether the block at START is
   huge.  */
static enum hugetext_answer
infer (struct hugetext_state *state, uintptr_t start,
       enum hugetext_evidence evidence)
{
  switch (evidence)
    {
    case HUGETEXT_IS_FILE:
      return infer_file (state, start);
    case HUGETEXT_ONE_TOUCH:
      return (has_entry (state, start, start + state->set.geo.block, is_absent)
                      == HUGETEXT_NO
                  ? HUGETEXT_YES
                  : HUGETEXT_NO);
    default:
      return HUGETEXT_NOT_ASKED;
    }
}

size_t
_dl_hugetext_probe (struct hugetext_state *state, uintptr_t start,
                    size_t nblocks, enum hugetext_evidence evidence,
                    bool collapse, bool huge[])
{
  const uintptr_t size = state->set.geo.block;
  const bool scanned = probe_scan_blocks (state, start, nblocks, huge);
  size_t n = 0;
  for (size_t i = 0; i < nblocks; ++i, start += size)
    {
      if (!scanned)
        {
          enum hugetext_answer answer = infer (state, start, evidence);
          huge[i] = (answer == HUGETEXT_YES
                     || (answer == HUGETEXT_NOT_ASKED && collapse
                         && _dl_hugetext_may_collapse (state)
                         && !sys_failed (sys_collapse (start, size))));
        }
      n += huge[i];
    }
  return n;
}
