/* The interface between the loader and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader adds the code object (code/) when glibc.mem.hugetext says so.
   Its entry point is its struct hugetext_code, which the loader fills in
   before any code of the object runs, if the number there is its own: loader
   and object belong to one build.  */

#ifndef _HUGETEXT_CODE_H
#define _HUGETEXT_CODE_H 1

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dl-hugetext-ledger.h"

/* The object's file.  */
#define HUGETEXT_CODE_FILE "hugetext-code.so"

/* A block of N small pages is made huge if this many of them have been
   touched: the other pages are new memory that the process pays for.  */
#define HUGETEXT_CODE_ENOUGH(n) ((n) - (n) / 4)

/* The outcome of a block.  */
enum hugetext_code_outcome
{
  HUGETEXT_CODE_MADE,
  HUGETEXT_CODE_OVER_CAP,
  HUGETEXT_CODE_NO_ROOM,
  HUGETEXT_CODE_REFUSED /* The kernel refused it.  */
};

/* Why code made at run time is left alone in a process that asks for huge
   code.  The record has one of these numbers.  */
enum hugetext_code_reason
{
  HUGETEXT_CODE_FOLLOWED, /* Or nobody has asked.  */
  HUGETEXT_CODE_NOT_LIBCS,
  HUGETEXT_CODE_BELOW_4_GIB,
  HUGETEXT_CODE_LIMITED,
  HUGETEXT_CODE_THP_OFF,
  HUGETEXT_CODE_NO_CLOCK,
  HUGETEXT_CODE_NOT_THERE,
  HUGETEXT_CODE_NOT_MAPPED,
  HUGETEXT_CODE_OTHER_BUILD,
  HUGETEXT_CODE_FILTERED, /* At the start, or the code object notes it.  */
  HUGETEXT_CODE_REASONS
};

/* A clause that says REASON; "" if that is none.  */
static inline const char *
hugetext_code_text (unsigned int reason)
{
  static const char texts[HUGETEXT_CODE_REASONS][80] = {
    [HUGETEXT_CODE_NOT_LIBCS] = "mmap and its like are not all libc's",
    [HUGETEXT_CODE_BELOW_4_GIB] = "text is to lie below 4 GiB",
    [HUGETEXT_CODE_LIMITED] = "the address space is limited",
    [HUGETEXT_CODE_THP_OFF] = "transparent huge pages are off",
    [HUGETEXT_CODE_NO_CLOCK] = "there is no vDSO, with a clock in it",
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
  /* Counts the blocks of code that are huge, or are being made.  The object
     sets it, for the ledger.  */
  size_t (*places) (void);
  /* Counts of blocks of text and of code; NULL if there is nothing to do.  */
  struct hugetext_ledger *ledger;
  uintptr_t page, block;
  bool filtered; /* A filter of system calls was there before the program
                    started, or may have been.  */
  /* The vDSO's clock, which makes no system call.  */
  int (*clock) (clockid_t clock, struct timespec *time);
  /* Report what became of a block; ERROR is the kernel's.  NULL if no message
     is wanted.  */
  void (*say) (uintptr_t block, enum hugetext_code_outcome outcome, int error);
  /* The place in the record for an enum hugetext_code_reason.  */
  uint32_t *left_alone;
  /* LEDGER points to this one where text has none.  */
  struct hugetext_ledger own;
};

/* Raise the first number when a field here changes its meaning: the sizes of
   the structs are part of it.  */
#define HUGETEXT_CODE_NUMBER                                \
  (UINT64_C (4) << 32 | sizeof (struct hugetext_code) << 16 \
   | sizeof (struct hugetext_ledger))

#endif /* hugetext-code.h */
