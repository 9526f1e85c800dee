/* An attempt: the present start or dlopen, and the calls that it may make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* begins with the first object of a start or dlopen that can
   gain, and ends when its objects are populated or gone.  The loader finds out
   once for each attempt what the kernel, a tracer or a filter permits; at a
   start it does so when a decision first depends on the answer.  The loader
   remembers for the rest of the process what the kernel has refused.  */

#ifndef _DL_HUGETEXT_ATTEMPT_H
#define _DL_HUGETEXT_ATTEMPT_H 1

#include <stdbool.h>

#include "dl-hugetext-record.h"
#include "dl-hugetext-settings.h"

/* Buffers into which the loader reads files.  */
struct hugetext_scratch
{
  union
  {
    char text[4096];
    uint64_t entry[512]; /* Of /proc/self/pagemap.  */
    ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX];
  };
};

/* Facts that hold for the rest of the process.  The loader asks for each of
   them once, because each refusal may be a line in an audit log.  */
struct hugetext_lessons
{
  bool tried_anonymous, no_anonymous_text; /* Memory that was writable may not
                                              become executable,  */
  bool tried_file, no_file_text;           /* and neither may a memory
                                              file.  */
  bool no_pagemap, no_status; /* The kernel refuses these files of /proc.  */
  enum hugetext_answer space; /* Address space is not limited.  */
};

struct hugetext_attempt
{
  bool begun;
  bool start;         /* The attempt is the start of the process: there is one
                         thread, and all memory is as mmap makes it.  */
  bool asked;         /* The loader has found out who watches the process: the
                         next three are known.  */
  bool filtered;      /* A seccomp filter may kill for calls that mapping a
                         library or malloc does not make.  Also set if there
                         are other threads: each of them may install a filter
                         for all at any moment.  */
  bool traced;        /* A debugger may have set breakpoints, and
                         has computed where objects are.  */
  bool thp_disabled;  /* By prctl (PR_SET_THP_DISABLE).  */
  bool exec_has_read; /* The program is being placed, and exec had to read the
                         program from the disk.  */
  bool no_slack;      /* Address space is limited, or may be: take no more of
                         it than the stock loader takes.  */
  unsigned int failures;        /* Number of blocks without a huge page.  */
  enum hugetext_answer thp_off; /* Whether the administrator has switched
                                   transparent huge pages off.  */
  bool untouched;               /* New mappings have no pages.  At a start,
                                   where nothing locks memory, one answer
                                   holds for all.  */
  int pagemap; /* /proc/self/pagemap, negative unless open.  */
  struct hugetext_geometry geo;
  struct hugetext_lessons *lessons;
  struct hugetext_scratch *scratch;
};

/* Begin ATTEMPT, which has its GEO, LESSONS and SCRATCH, unless it has
   begun.  */
extern void
_dl_hugetext_begin (struct hugetext_attempt *attempt) attribute_hidden;

/* Close the descriptors that ATTEMPT's next step can open again: code of
   others may run before that step.  */
extern void
_dl_hugetext_pause (struct hugetext_attempt *attempt) attribute_hidden;

/* End ATTEMPT if it has begun.  */
extern void
_dl_hugetext_end (struct hugetext_attempt *attempt) attribute_hidden;

/* Find out who watches the process (a tracer, a filter), unless ATTEMPT knows,
   and return ATTEMPT.  For a small program the question takes a tenth of the
   loader's work at a start, so callers ask only where the answer decides.  */
extern const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_attempt *attempt) attribute_hidden;

static inline bool
_dl_hugetext_traced (struct hugetext_attempt *attempt)
{
  return _dl_hugetext_ask (attempt)->traced;
}

/* Whether the process may make system calls that mapping a library or malloc
   does not make.  */
static inline bool
_dl_hugetext_unfiltered (struct hugetext_attempt *attempt)
{
  return !_dl_hugetext_ask (attempt)->filtered;
}

/* Whether the loader may ask for limits (getrlimit).  Every stock start asks
   for one limit; a stock dlopen asks for none, and a filter that was installed
   after the start may kill for that call.  */
static inline bool
_dl_hugetext_may_ask_limits (const struct hugetext_attempt *attempt)
{
  return attempt->start || !attempt->filtered;
}

/* Whether anonymous memory that was writable may become executable.  The
   loader finds out once in a process, with one page: security modules log each
   refusal, and filling a block in vain takes half a millisecond.  */
extern bool
_dl_hugetext_may_anonymous (struct hugetext_attempt *attempt) attribute_hidden;

/* Whether transparent huge pages of a block's size are known to be switched
   off.  The kernel obeys that switch in page faults, but not when it is asked
   to gather pages (MADV_COLLAPSE).  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Whether the kernel may be asked to gather pages: _dl_hugetext_thp_off
   denied, read once an attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_attempt *attempt) attribute_hidden;

/* Whether no page of the mapping at START, just made, is present, so that the
   pages present after a touch tell whether a block is huge.  After mlockall
   (MCL_FUTURE) all pages are present.  False if /proc/self/pagemap cannot be
   read.  */
extern bool _dl_hugetext_untouched (struct hugetext_attempt *attempt,
                                    uintptr_t start) attribute_hidden;

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping,
   to whether the kernel has mapped the block with a huge page.  UNTOUCHED is
   the answer of _dl_hugetext_untouched before one small page of each block was
   touched.  If that is false, the kernel may be asked to GATHER the blocks.
   Return the number of huge blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_attempt *attempt,
                                  uintptr_t start, size_t nblocks,
                                  bool untouched, bool gather,
                                  bool huge[]) attribute_hidden;

/* Whether a page of [START, END), which is mapped from a file, belongs to the
   process alone.  In text that is not yet relocated only breakpoints cause
   that: a debugger's, or the kernel's (uprobes).  HUGETEXT_NOT_ASKED if the
   kernel cannot say.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_attempt *attempt, uintptr_t start,
                          uintptr_t end) attribute_hidden;

#endif /* dl-hugetext-attempt.h */
