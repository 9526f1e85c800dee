/* An attempt: the present start or dlopen, and the calls that it may make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* begins with the first object of a start or dlopen that can
   gain, and ends when its objects are populated or gone.  What the kernel, a
   tracer or a filter permits is found out once for each attempt, at a start
   when it first matters, and is data from then on: no mechanism asks by
   itself.  What the kernel has refused is remembered for the rest of the
   process.  */

#ifndef _DL_HUGETEXT_ATTEMPT_H
#define _DL_HUGETEXT_ATTEMPT_H 1

#include <stdbool.h>

#include "dl-hugetext-record.h"
#include "dl-hugetext-settings.h"

/* To read files into.  */
struct hugetext_scratch
{
  union
  {
    char text[4096];
    uint64_t entry[512]; /* Of /proc/self/pagemap.  */
  };
};

/* Facts that hold for the rest of the process.  */
struct hugetext_lessons
{
  unsigned int refused; /* Abilities.  */
  bool tried_text;      /* Whether copies may become executable.  */
  /* The kernel refuses these files of /proc.  Each refusal may be a line in an
     audit log, so that nothing is asked for twice.  */
  bool no_pagemap, no_status;
  enum hugetext_answer space; /* Address space is not limited.  */
};

struct hugetext_attempt
{
  bool begun;
  bool start;         /* Of the process: there is one thread, and
                         all memory is as mmap makes it.  */
  bool asked;         /* The question who watches: TRACED and THP_DISABLED are
                         known, and CAN is all of it.  */
  bool traced;        /* A debugger may have set breakpoints, and
                         has computed where objects are.  */
  bool thp_disabled;  /* By prctl (PR_SET_THP_DISABLE).  */
  bool exec_has_read; /* The program is being placed, and exec has
                         had to read it from the disk.  */
  bool no_slack;      /* Address space is limited, or may be: take
                         none but what the stock loader takes.  */
  unsigned int can;   /* Abilities.  */
  unsigned int failures;              /* Blocks that got no huge page.  */
  enum hugetext_answer thp_off;       /* The administrator switched transparent
                                         huge pages off.  */
  enum hugetext_answer text_in_cores; /* Cores are to have text.  */
  int pagemap; /* /proc/self/pagemap, -1 unless open.  */
  struct hugetext_open_index index;
  struct hugetext_geometry geo;
  struct hugetext_lessons *lessons;
  struct hugetext_scratch *scratch;
};

/* Begin ATTEMPT, which has its GEO, LESSONS and SCRATCH, unless it has
   begun.  */
extern void
_dl_hugetext_begin (struct hugetext_attempt *attempt) attribute_hidden;

/* Leave no descriptor open that its next step can open again: others' code may
   run in between.  */
extern void
_dl_hugetext_pause (struct hugetext_attempt *attempt) attribute_hidden;

/* End it, should it have begun.  */
extern void
_dl_hugetext_end (struct hugetext_attempt *attempt) attribute_hidden;

/* Find out who watches, unless that is known.  At a start that takes a tenth
   of all there is to do for a small program, so only if somebody has to
   know.  */
extern void
_dl_hugetext_ask (struct hugetext_attempt *attempt) attribute_hidden;

static inline bool
_dl_hugetext_can (struct hugetext_attempt *attempt,
                  enum hugetext_ability ability)
{
  if (!attempt->asked && (ability & HUGETEXT_UNFILTERED) != 0)
    _dl_hugetext_ask (attempt);
  return (attempt->can & ability) != 0;
}

static inline bool
_dl_hugetext_traced (struct hugetext_attempt *attempt)
{
  if (!attempt->asked)
    _dl_hugetext_ask (attempt);
  return attempt->traced;
}

/* Whether limits may be asked for.  Every start asks for one; a dlopen does
   not, and may find a filter that came after it.  */
static inline bool
_dl_hugetext_may_ask_limits (const struct hugetext_attempt *attempt)
{
  return attempt->start || (attempt->can & HUGETEXT_UNFILTERED) != 0;
}

/* The kernel has refused what ABILITY stands for, and always will.  */
static inline void
_dl_hugetext_refused (struct hugetext_attempt *attempt,
                      enum hugetext_ability ability)
{
  attempt->can &= ~ability;
  attempt->lessons->refused |= ability;
}

/* Whether the kernel is Linux MAJOR.MINOR or later: by a note of its vDSO,
   which takes no system call.  False if there is none.  */
extern bool _dl_hugetext_kernel_is (unsigned int major,
                                    unsigned int minor) attribute_hidden;

/* The name of memory files: /proc/PID/maps says "/memfd:NAME".  */
#define HUGETEXT_MEMORY_FILE "ld-hugetext"

/* Find out, once in a process, whether memory that was writable may become
   executable, of both kinds: HUGETEXT_CAN_ANONYMOUS_TEXT and
   HUGETEXT_CAN_FILE_TEXT, the second only if the first is refused.  By a page
   that will not be used: security modules note each refusal, and a block
   filled for nothing costs a lot.  */
extern void
_dl_hugetext_try_text (struct hugetext_attempt *attempt) attribute_hidden;

/* Whether transparent huge pages of the size of a block are known to be
   switched off.  The kernel heeds that in faults, but not when asked to
   gather pages.  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* The same, asked once an attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_attempt *attempt) attribute_hidden;

/* Whether the process's cores are to have the contents of its private file
   mappings (bit 2 of core(5)'s coredump_filter), so its text.  */
extern bool
_dl_hugetext_text_in_cores (struct hugetext_attempt *attempt) attribute_hidden;

#endif /* dl-hugetext-attempt.h */
