/* Questions to the kernel: which blocks of a mapping are huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   There are two ways to ask.  (1) /proc/self/pagemap, which all kernels have
   and every filter allows, tells which pages are present: if all pages of a
   block are, and none was before one page was touched, the fault got a huge
   page.  (2) Where that file is refused, as by AppArmor, or tells nothing, the
   loader asks the kernel to make a block huge (Linux 6.1), and the kernel
   agrees if it is huge.  The loader never reads /proc/self/smaps: in a running
   process that takes time in proportion to the process's size.  */

#include <array_length.h>

#include "dl-hugetext-state.h"
#include "dl-hugetext-sys.h"

/* The bits of an entry of /proc/PID/pagemap (admin-guide/mm/pagemap.rst); any
   program may read its own.  */
#define ENTRY_FILE (UINT64_C (1) << 61)
#define ENTRY_SWAPPED (UINT64_C (1) << 62)
#define ENTRY_PRESENT (UINT64_C (1) << 63)

/* Whether /proc/self/pagemap is open.  The loader tries to open it once an
   attempt, and never again if it is refused.  */
static bool
has_pagemap (struct hugetext_state *state)
{
  enum
  {
    FAILED = -2,
  };
  if (state->attempt.pagemap == -1 && !state->lessons.no_pagemap)
    {
      long int fd = sys_open ("/proc/self/pagemap");
      state->attempt.pagemap = sys_failed (fd) ? FAILED : fd;
      state->lessons.no_pagemap = fd == -EACCES || fd == -EPERM;
    }
  return state->attempt.pagemap >= 0;
}

/* Read entries of the pages of [START, END), as many as one read takes, and
   set N to their number.  NULL if that cannot be done.  */
static const uint64_t *
read_entries (struct hugetext_state *state, uintptr_t start, uintptr_t end,
              size_t *n)
{
  uint64_t *entry = state->scratch.entry;
  *n = hugetext_min ((end - start) / state->set.geo.page,
                     array_length (state->scratch.entry));
  long int size = *n * sizeof *entry;
  return (has_pagemap (state)
                  && sys_pread (state->attempt.pagemap, entry, size,
                                start / state->set.geo.page * sizeof *entry)
                         == size
              ? entry
              : NULL);
}

/* Whether a page of [START, END) has an entry that IS holds for.  */
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

enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end)
{
  enum hugetext_answer answer = HUGETEXT_NO;
  struct hugetext_piece piece;
  for (; answer == HUGETEXT_NO
         && hugetext_next_piece (&state->object, start, end, &piece);
       start = piece.end)
    answer = has_entry (state, piece.start, piece.end, is_private);
  return answer;
}

bool
_dl_hugetext_untouched (struct hugetext_state *state, uintptr_t start)
{
  /* With THP disabled, a kernel may map all small pages of a large folio in
     one fault (finish_fault, for tmpfs from Linux 6.11 on), so that present
     pages tell nothing.  */
  if (!state->attempt.untouched || !state->attempt.start)
    state->attempt.untouched
        = (!_dl_hugetext_ask (state)->thp_disabled
           && has_entry (state, start, start + state->set.geo.page, is_absent)
                  == HUGETEXT_YES);
  return state->attempt.untouched;
}

size_t
_dl_hugetext_probe (struct hugetext_state *state, uintptr_t start,
                    size_t nblocks, bool untouched, bool gather, bool huge[])
{
  const uintptr_t size = state->set.geo.block;
  size_t n = 0;
  for (size_t i = 0; i < nblocks; ++i, start += size)
    {
      if (untouched)
        huge[i]
            = has_entry (state, start, start + size, is_absent) == HUGETEXT_NO;
      else
        huge[i] = (gather && _dl_hugetext_may_collapse (state)
                   && !sys_failed (sys_collapse (start, size)));
      n += huge[i];
    }
  return n;
}
