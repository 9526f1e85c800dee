/* The interface between the loader and hugetext-code.so.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader adds hugetext-code.so (code/) if the setting glibc.mem.hugetext
   asks for it.  The entry point of hugetext-code.so is not code, but the
   address of its struct hugetext_code, which the loader fills in before any
   code of hugetext-code.so runs.  If the member NUMBER is not
   HUGETEXT_CODE_NUMBER, the object belongs to another build, and the loader
   does not use it.  */

#ifndef _HUGETEXT_CODE_H
#define _HUGETEXT_CODE_H 1

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dl-hugetext-ledger.h"

/* The base name of hugetext-code.so's file.  */
#define HUGETEXT_CODE_FILE "hugetext-code.so"

/* The minimum number of used pages that a block of N small pages must have
   before hugetext-code.so makes the block huge.  A huge page uses memory even
   for pages of the block that the process never uses.  */
#define HUGETEXT_CODE_ENOUGH(n) ((n) - (n) / 4)

/* The result of trying to make a block of code huge.  */
enum hugetext_code_outcome
{
  HUGETEXT_CODE_MADE,
  HUGETEXT_CODE_OVER_CAP,
  HUGETEXT_CODE_NO_ROOM,
  HUGETEXT_CODE_REFUSED /* The kernel refused to make the block huge.  */
};

/* The reasons why code made at run time stays on small pages although the
   settings ask for huge code.  The loader's record, which other processes
   read, contains the number of the reason.  */
enum hugetext_code_reason
{
  HUGETEXT_CODE_FOLLOWED, /* No reason applies: hugetext-code.so tracks the
                             code that the process makes at run time, or the
                             settings do not ask for huge code.  */
  HUGETEXT_CODE_NOT_LIBCS,
  HUGETEXT_CODE_BELOW_4_GIB,
  HUGETEXT_CODE_LIMITED,
  HUGETEXT_CODE_THP_OFF,
  HUGETEXT_CODE_NO_CLOCK,
  HUGETEXT_CODE_NOT_THERE,
  HUGETEXT_CODE_NOT_MAPPED,
  HUGETEXT_CODE_OTHER_BUILD,
  HUGETEXT_CODE_FILTERED, /* The process had a seccomp filter at its start, or
                             has installed a filter after its start.  */
  HUGETEXT_CODE_REASONS
};

/* Return a clause that explains REASON.  If REASON is not a valid number,
   return "".  */
static inline const char *
hugetext_code_text (unsigned int reason)
{
  static const char texts[HUGETEXT_CODE_REASONS][80] = {
    [HUGETEXT_CODE_NOT_LIBCS]
    = "an object other than libc defines a function that " HUGETEXT_CODE_FILE
      " replaces",
    [HUGETEXT_CODE_BELOW_4_GIB] = "text must be mapped below 4 GiB",
    [HUGETEXT_CODE_LIMITED] = "the address space of the process is limited",
    [HUGETEXT_CODE_THP_OFF] = "transparent huge pages are off",
    [HUGETEXT_CODE_NO_CLOCK] = "the vDSO has no function clock_gettime",
    [HUGETEXT_CODE_NOT_THERE]
    = HUGETEXT_CODE_FILE " is neither in the loader's directory nor installed",
    [HUGETEXT_CODE_NOT_MAPPED] = HUGETEXT_CODE_FILE " could not be mapped",
    [HUGETEXT_CODE_OTHER_BUILD]
    = HUGETEXT_CODE_FILE " and the loader are from different builds",
    [HUGETEXT_CODE_FILTERED] = "system calls are filtered (seccomp)",
  };
  return reason < HUGETEXT_CODE_REASONS ? texts[reason] : "";
}

struct hugetext_code
{
  uint64_t number; /* The value HUGETEXT_CODE_NUMBER, which shows that the
                      loader and hugetext-code.so are of the same build.  */
  /* A function that returns how many blocks of code are huge or are about to
     become huge.  The library hugetext-code.so sets this pointer, and the
     ledger calls the function.  */
  size_t (*places) (void);
  /* The ledger, which counts blocks of text and of code.  If LEDGER is NULL,
     hugetext-code.so makes no blocks huge.  */
  struct hugetext_ledger *ledger;
  uintptr_t page, block;
  bool filtered; /* The process had, or may have had, a seccomp filter before
                    the program started.  */
  /* The function of the vDSO that reads a clock without a system call.  */
  int (*clock) (clockid_t clock, struct timespec *time);
  /* The function to which hugetext-code.so reports the outcome of a block;
     ERROR is the kernel's error number.  The member is NULL if the user wants
     no messages.  */
  void (*say) (uintptr_t block, enum hugetext_code_outcome outcome, int error);
  /* The address in the record where hugetext-code.so stores an enum
     hugetext_code_reason.  */
  uint32_t *left_alone;
  /* A ledger that counts only blocks of code.  If the loader has no ledger for
     text, the member LEDGER points to the member OWN.  */
  struct hugetext_ledger own;
};

/* The version of this interface between the loader and hugetext-code.so.  If a
   member of the structs changes its meaning, raise the number 4 below.  The
   lower 32 bits of the version are computed from the sizes of the structs.  */
#define HUGETEXT_CODE_NUMBER                                \
  (UINT64_C (4) << 32 | sizeof (struct hugetext_code) << 16 \
   | sizeof (struct hugetext_ledger))

#endif /* hugetext-code.h */
