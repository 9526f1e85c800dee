/* The interface between the loader and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader adds the code object (code/) when glibc.mem.hugetext says so.
   The object's entry point is the address of its struct hugetext_code.  The
   loader fills the struct in before any code of the object runs, if NUMBER is
   HUGETEXT_CODE_NUMBER: loader and object belong to one build.  */

#ifndef _HUGETEXT_CODE_H
#define _HUGETEXT_CODE_H 1

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dl-hugetext-ledger.h"

/* The base name of the object's file.  */
#define HUGETEXT_CODE_FILE "hugetext-code.so"

/* The least number of touched pages with which a block of N small pages is
   made huge: the other pages are new memory for the process.  */
#define HUGETEXT_CODE_ENOUGH(n) ((n) - (n) / 4)

/* The outcome of a block.  */
enum hugetext_code_outcome
{
  HUGETEXT_CODE_MADE,
  HUGETEXT_CODE_OVER_CAP,
  HUGETEXT_CODE_NO_ROOM,
  HUGETEXT_CODE_REFUSED /* The kernel refused the block.  */
};

/* Why code made at run time stays on small pages in a process that asks for
   huge code.  The record has one of these numbers.  */
enum hugetext_code_reason
{
  HUGETEXT_CODE_FOLLOWED, /* Code is followed, or was not asked for.  */
  HUGETEXT_CODE_NOT_LIBCS,
  HUGETEXT_CODE_BELOW_4_GIB,
  HUGETEXT_CODE_LIMITED,
  HUGETEXT_CODE_THP_OFF,
  HUGETEXT_CODE_NO_CLOCK,
  HUGETEXT_CODE_NOT_THERE,
  HUGETEXT_CODE_NOT_MAPPED,
  HUGETEXT_CODE_OTHER_BUILD,
  HUGETEXT_CODE_FILTERED, /* There was a filter at the start, or the program
                             has installed one since.  */
  HUGETEXT_CODE_REASONS
};

/* A clause for REASON, "" if REASON is no such number.  */
static inline const char *
hugetext_code_text (unsigned int reason)
{
  static const char texts[HUGETEXT_CODE_REASONS][80] = {
    [HUGETEXT_CODE_NOT_LIBCS] = "mmap or a similar function is not libc's",
    [HUGETEXT_CODE_BELOW_4_GIB] = "text must be mapped below 4 GiB",
    [HUGETEXT_CODE_LIMITED] = "the address space is limited",
    [HUGETEXT_CODE_THP_OFF] = "transparent huge pages are off",
    [HUGETEXT_CODE_NO_CLOCK] = "there is no vDSO with a clock",
    [HUGETEXT_CODE_NOT_THERE]
    = HUGETEXT_CODE_FILE " is neither beside the loader nor installed",
    [HUGETEXT_CODE_NOT_MAPPED] = HUGETEXT_CODE_FILE " could not be mapped",
    [HUGETEXT_CODE_OTHER_BUILD] = HUGETEXT_CODE_FILE " is of another build",
    [HUGETEXT_CODE_FILTERED] = "there is a filter of system calls (seccomp)",
  };
  return reason < HUGETEXT_CODE_REASONS ? texts[reason] : "";
}

struct hugetext_code
{
  uint64_t number; /* HUGETEXT_CODE_NUMBER.  */
  /* Returns the number of blocks of code that are huge or are being made.  The
     object sets this member, for the ledger.  */
  size_t (*places) (void);
  /* The counts of blocks of text and of code; NULL if the object should do
     nothing.  */
  struct hugetext_ledger *ledger;
  uintptr_t page, block;
  bool filtered; /* A filter of system calls existed, or may have existed,
                    before the program started.  */
  /* The vDSO's clock function, which makes no system call.  */
  int (*clock) (clockid_t clock, struct timespec *time);
  /* Report the outcome of a block; ERROR is the kernel's.  NULL if the user
     wants no messages.  */
  void (*say) (uintptr_t block, enum hugetext_code_outcome outcome, int error);
  /* Where the record has its enum hugetext_code_reason.  */
  uint32_t *left_alone;
  /* The ledger to which LEDGER points if text has none.  */
  struct hugetext_ledger own;
};

/* The number of this interface.  Raise its first part when a member changes
   its meaning; the sizes of the structs are the other part.  */
#define HUGETEXT_CODE_NUMBER                                \
  (UINT64_C (4) << 32 | sizeof (struct hugetext_code) << 16 \
   | sizeof (struct hugetext_ledger))

#endif /* hugetext-code.h */
