/* Functions for an attempt (the current start or dlopen).
   dl-hugetext-attempt.c finds out which system calls the loader may make.
   dl-hugetext-probe.c asks the kernel which blocks are huge, and which pages
   are private to the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_ATTEMPT_H
#define _DL_HUGETEXT_ATTEMPT_H 1

#include "dl-hugetext-state.h"

/* If this process was forked while a thread of its parent was in STATE's
   attempt, forget the attempt, which belongs to the parent.  */
extern void
_dl_hugetext_notice_fork (struct hugetext_state *state) attribute_hidden;

/* Begin STATE's attempt (the current start or dlopen), unless it has
   begun.  */
extern void _dl_hugetext_begin (struct hugetext_state *state) attribute_hidden;

/* Close the file descriptors that the loader has opened for the attempt and
   can open again, because code of the program may run before the loader
   continues the attempt.  */
extern void _dl_hugetext_pause (struct hugetext_state *state) attribute_hidden;

/* End the attempt (the current start or dlopen) if it has begun.  */
extern void _dl_hugetext_end (struct hugetext_state *state) attribute_hidden;

/* Return the attempt, after finding out which tracers and filters the process
   has.  Callers use this function only where a decision depends on tracers or
   filters.  */
extern const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_state *state) attribute_hidden;

static inline bool
_dl_hugetext_traced (struct hugetext_state *state)
{
  return _dl_hugetext_ask (state)->traced;
}

/* If a process with several threads calls dlopen, find out again about tracers
   and filters, because another thread may have installed a filter.  */
extern void
_dl_hugetext_ask_again (struct hugetext_state *state) attribute_hidden;

/* Return true if the loader may make the system calls that LIBERTY stands for
   (enum hugetext_liberty) in the current start or dlopen.  */
static inline bool
_dl_hugetext_may (struct hugetext_state *state, enum hugetext_liberty liberty)
{
  _dl_hugetext_ask (state);
  return HUGETEXT_ALLOWED (liberty);
}

/* Return true if the loader may make any system call, because the process has
   neither a seccomp filter nor another thread that could install one.  */
static inline bool
_dl_hugetext_unfiltered (struct hugetext_state *state)
{
  return _dl_hugetext_may (state, HUGETEXT_ANY_CALL);
}

/* Return true if the loader may query limits with prlimit64.  During a program
   start, the stock loader also calls prlimit64, so the loader may call
   prlimit64 if it may change the arguments of the stock loader's calls
   (HUGETEXT_ANY_ARGUMENT).  In a dlopen, the stock loader does not call
   prlimit64, so the loader may call prlimit64 only if it may make any system
   call (HUGETEXT_ANY_CALL).  If the loader may not call prlimit64, it reads
   /proc/self/limits.  */
static inline bool
_dl_hugetext_may_ask_limits (const struct hugetext_state *state)
{
  return HUGETEXT_ALLOWED (state->attempt.start ? HUGETEXT_ANY_ARGUMENT
                                                : HUGETEXT_ANY_CALL);
}

/* Return the ID of the process.  */
static inline int
_dl_hugetext_pid (struct hugetext_state *state)
{
  if (state->attempt.pid == 0)
    state->attempt.pid = sys_getpid ();
  return state->attempt.pid;
}

/* RESULT is the result of madvise (MADV_DONTNEED), a call that the stock
   loader may make as well.  If RESULT is an error that only a seccomp filter
   returns, note in STATE's attempt that a filter refuses madvise.  */
extern void _dl_hugetext_note_madvise (struct hugetext_state *state,
                                       long int result) attribute_hidden;

/* Return true if the kernel lets anonymous memory that was writable become
   executable.  The loader tests this by making one page of memory executable.
   The loader tests only once in a process, because security modules log each
   refusal.  Without the test, the loader would spend half a millisecond on
   filling a block before the kernel refuses to make the block executable.  */
extern bool
_dl_hugetext_may_anonymous (struct hugetext_state *state) attribute_hidden;

/* Return true if the administrator has switched off transparent huge pages of
   a block's size.  The kernel obeys the administrator's switch in page faults,
   but ignores it in MADV_COLLAPSE, with which a process asks the kernel to
   make a huge page.  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Close the images of the store that are still open.  During a program start,
   the descriptors of the images are consecutive, so that one system call
   closes all of them.  */
extern void
_dl_hugetext_close_images (struct hugetext_state *state) attribute_hidden;

/* Return true if the loader may ask the kernel to collapse pages into huge
   pages, that is, unless the administrator has switched off transparent huge
   pages.  In each start or dlopen, the loader reads the administrator's
   setting of transparent huge pages at most once (_dl_hugetext_thp_off).  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_state *state) attribute_hidden;

/* Return true if /proc/self/pagemap can be read.  The first call in an attempt
   tries to open the file; after a refusal no later call tries again.  */
extern bool
_dl_hugetext_has_pagemap (struct hugetext_state *state) attribute_hidden;

/* The facts in /proc/self/pagemap from which the loader can infer whether a
   block is huge, if the kernel does not say which blocks are huge.  */
enum hugetext_evidence
{
  HUGETEXT_NO_EVIDENCE,
  HUGETEXT_IS_FILE, /* The block maps a file.  To find out whether the block is
                       huge, unmap one of its pages and see which of its other
                       pages are gone.  */
  HUGETEXT_ONE_TOUCH, /* The block is anonymous memory that had no pages until
                         the loader accessed one of its addresses.  To find out
                         whether the block is huge, count the pages that it has
                         now.  */
};

/* Return true if the new anonymous mapping at START has no page yet.  After
   mlockall with MCL_FUTURE, the kernel fills a new mapping with pages at once.
   If new mappings have no pages, the loader can find out whether a block is
   huge: it accesses one address of the block, and then counts the pages that
   the kernel has mapped in the block.  Return false if /proc/self/pagemap
   cannot be read.  */
extern bool _dl_hugetext_untouched (struct hugetext_state *state,
                                    uintptr_t start) attribute_hidden;

/* Use a system call to fault in the page at ADDRESS.  If the address cannot be
   accessed, the system call fails, whereas an access by the process would
   raise a signal.  Return false if the page cannot be faulted in.  */
extern bool _dl_hugetext_touch (struct hugetext_state *state,
                                uintptr_t address) attribute_hidden;

/* Find out which of the NBLOCKS blocks from START the kernel has mapped with
   huge pages.  Record in the array HUGE which blocks are huge, and return
   their number.  The blocks are in one mapping; NBLOCKS is at most
   HUGETEXT_RUN_MAX.  If neither the kernel nor EVIDENCE shows which blocks are
   huge, and COLLAPSE is true, ask the kernel to collapse the blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_state *state,
                                  uintptr_t start, size_t nblocks,
                                  enum hugetext_evidence evidence,
                                  bool collapse, bool huge[]) attribute_hidden;

/* Return HUGETEXT_YES if a page in [START, END) is private to the process,
   otherwise HUGETEXT_NO.  Only mappings that the loader has made may be in
   [START, END).  During a program start, the function usually asks the kernel
   only once, about the pages of all objects.  After the start, each call asks
   the kernel about the range [START, END).  Return HUGETEXT_NOT_ASKED before
   Linux 6.7 and under a filter.  */
extern enum hugetext_answer
_dl_hugetext_scan_private (struct hugetext_state *state, uintptr_t start,
                           uintptr_t end) attribute_hidden;

/* Return HUGETEXT_YES if a page of STATE's object in [START, END) is private
   to the process, otherwise HUGETEXT_NO.  A page becomes private when it is
   written.  The range [START, END) maps the object's file.  In text that is
   not yet relocated, a private page means that a debugger or the kernel
   (uprobe) has set a breakpoint, or that an auditor (LD_AUDIT) has changed the
   text.  To find private pages, ask the kernel once for each segment.  If
   the kernel does not answer, read the pagemap entry of each page.  Return
   HUGETEXT_NOT_ASKED if the pagemap entries cannot be read.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end) attribute_hidden;

#endif /* dl-hugetext-attempt.h */
