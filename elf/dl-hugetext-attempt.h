/* An attempt: the present start or dlopen, and the calls that it may make.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* begins with the first object of a start or dlopen that can
   gain, and ends when its objects are populated or gone.  The loader finds out
   once for each attempt what the kernel, a tracer or a filter permits; at a
   start it does so when a decision first depends on the answer.  The answers
   are data of the attempt from then on: no backing asks by itself.  The loader
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
  };
};

/* Facts that hold for the rest of the process.  */
struct hugetext_lessons
{
  unsigned int refused; /* Abilities.  */
  bool tried_text;      /* Whether copies may become executable.  */
  /* The kernel refuses these files of /proc.  The loader asks for each of them
     once, because each refusal may be a line in an audit log.  */
  bool no_pagemap, no_status;
  enum hugetext_answer space; /* Address space is not limited.  */
};

struct hugetext_attempt
{
  bool begun;
  bool start;         /* The attempt is the start of the process: there is one
                         thread, and all memory is as mmap makes it.  */
  bool asked;         /* The loader has found out who watches the process:
                         TRACED, THP_DISABLED and all of CAN are known.  */
  bool traced;        /* A debugger may have set breakpoints, and
                         has computed where objects are.  */
  bool thp_disabled;  /* By prctl (PR_SET_THP_DISABLE).  */
  bool exec_has_read; /* The program is being placed, and exec had to read the
                         program from the disk.  */
  bool no_slack;      /* Address space is limited, or may be: take no more of
                         it than the stock loader takes.  */
  unsigned int can;   /* Abilities.  */
  unsigned int failures;              /* Number of blocks without a huge
                                         page.  */
  enum hugetext_answer thp_off;       /* Whether the administrator has switched
                                         transparent huge pages off.  */
  enum hugetext_answer text_in_cores; /* Whether core dumps contain text.  */
  int pagemap; /* /proc/self/pagemap, negative unless open.  */
  struct hugetext_open_index index;
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

/* Find out who watches the process (a tracer, a filter), unless ATTEMPT knows.
   For a small program the question takes a tenth of the loader's work at a
   start, so callers ask only where the answer decides.  */
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

/* Whether the loader may ask for limits (getrlimit).  Every stock start asks
   for one limit; a stock dlopen asks for none, and a filter that was installed
   after the start may kill for that call.  */
static inline bool
_dl_hugetext_may_ask_limits (const struct hugetext_attempt *attempt)
{
  return attempt->start || (attempt->can & HUGETEXT_UNFILTERED) != 0;
}

/* Note that the kernel has refused ABILITY, and always will.  */
static inline void
_dl_hugetext_refused (struct hugetext_attempt *attempt,
                      enum hugetext_ability ability)
{
  attempt->can &= ~ability;
  attempt->lessons->refused |= ability;
}

/* Whether the kernel is Linux MAJOR.MINOR or later, by a note in the kernel's
   vDSO, which takes no system call.  False if there is no such note.  */
extern bool _dl_hugetext_kernel_is (unsigned int major,
                                    unsigned int minor) attribute_hidden;

/* The name of memory files: /proc/PID/maps says "/memfd:NAME".  */
#define HUGETEXT_MEMORY_FILE "ld-hugetext"

/* Find out, once in a process, whether memory that was writable may become
   executable: anonymous memory (HUGETEXT_CAN_ANONYMOUS_TEXT), and if the
   kernel refuses that, a memory file (HUGETEXT_CAN_FILE_TEXT).  The trial uses
   one page and not a block: security modules log each refusal, and filling a
   block in vain takes half a millisecond.  */
extern void
_dl_hugetext_try_text (struct hugetext_attempt *attempt) attribute_hidden;

/* Whether transparent huge pages of a block's size are known to be switched
   off.  The kernel obeys that switch in page faults, but not when it is asked
   to gather pages (MADV_COLLAPSE).  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Whether the kernel may be asked to gather pages: _dl_hugetext_thp_off
   denied, read once an attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_attempt *attempt) attribute_hidden;

/* Whether core dumps of the process contain its private file mappings (bit 2
   of core(5)'s coredump_filter), so its text.  */
extern bool
_dl_hugetext_text_in_cores (struct hugetext_attempt *attempt) attribute_hidden;

#endif /* dl-hugetext-attempt.h */
