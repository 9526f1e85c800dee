/* The interface between the loader and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader adds the code object (code/) if the setting glibc.mem.hugetext
   asks for it.  The object's entry point is the address of its struct
   hugetext_code.  The loader fills the struct in before any code of the object
   runs.  Loader and object belong to one build if NUMBER is
   HUGETEXT_CODE_NUMBER; otherwise the loader does not use the object.  */

#ifndef _HUGETEXT_CODE_H
#define _HUGETEXT_CODE_H 1

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dl-hugetext-ledger.h"

/* The base name of the code object's file.  */
#define HUGETEXT_CODE_FILE "hugetext-code.so"

/* The minimum number of touched pages for a huge page, in a block of N small
   pages.  The remaining pages cost the process new memory.  */
#define HUGETEXT_CODE_ENOUGH(n) ((n) - (n) / 4)

/* The outcome of an attempt to make a block of code huge.  */
enum hugetext_code_outcome
{
  HUGETEXT_CODE_MADE,
  HUGETEXT_CODE_OVER_CAP,
  HUGETEXT_CODE_NO_ROOM,
  HUGETEXT_CODE_REFUSED /* The kernel refused the block.  */
};

/* The reason why code made at run time stays on small pages, although the
   settings ask for huge code.  The record contains the number.  */
enum hugetext_code_reason
{
  HUGETEXT_CODE_FOLLOWED, /* The process tracks code, or the settings do not
                             ask for it.  */
  HUGETEXT_CODE_NOT_LIBCS,
  HUGETEXT_CODE_BELOW_4_GIB,
  HUGETEXT_CODE_LIMITED,
  HUGETEXT_CODE_THP_OFF,
  HUGETEXT_CODE_NO_CLOCK,
  HUGETEXT_CODE_NOT_THERE,
  HUGETEXT_CODE_NOT_MAPPED,
  HUGETEXT_CODE_OTHER_BUILD,
  HUGETEXT_CODE_FILTERED, /* A filter existed at the start, or the program has
                             installed one since.  */
  HUGETEXT_CODE_REASONS
};

/* Return a clause for REASON, or "" if REASON is not a valid number.  */
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
     code object sets this member for the ledger.  */
  size_t (*places) (void);
  /* The counts of blocks of text and of code.  NULL if the code object must do
     nothing.  */
  struct hugetext_ledger *ledger;
  uintptr_t page, block;
  bool filtered; /* A filter of system calls existed, or may have existed,
                    before the program started.  */
  /* The clock function of the vDSO, which makes no system call.  */
  int (*clock) (clockid_t clock, struct timespec *time);
  /* Reports the outcome of a block.  ERROR is the kernel's error number.  NULL
     if the user wants no messages.  */
  void (*say) (uintptr_t block, enum hugetext_code_outcome outcome, int error);
  /* The address of the record's enum hugetext_code_reason.  */
  uint32_t *left_alone;
  /* LEDGER points to this ledger if the loader has no ledger for text.  */
  struct hugetext_ledger own;
};

/* The number of this interface.  Raise the first part of the number when a
   member changes its meaning; the other parts are the sizes of the
   structs.  */
#define HUGETEXT_CODE_NUMBER                                \
  (UINT64_C (4) << 32 | sizeof (struct hugetext_code) << 16 \
   | sizeof (struct hugetext_ledger))

#endif /* hugetext-code.h */
