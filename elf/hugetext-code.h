/* The interface between the loader and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader adds the code object (code/) when glibc.mem.hugetext says so.
   Its entry point is its struct hugetext_code, which the loader fills in
   before any code of the object runs, if the number there is its own: loader
   and object belong to one build.  */

#ifndef _HUGETEXT_CODE_H
#define _HUGETEXT_CODE_H 1

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

struct hugetext_code
{
  uint64_t number; /* HUGETEXT_CODE_NUMBER.  */
  /* Counts of blocks of text and of code; NULL if there is nothing to do.  */
  struct hugetext_ledger *ledger;
  uintptr_t page, block;
  /* The vDSO's clock, which makes no system call.  */
  int (*clock) (clockid_t clock, struct timespec *time);
  /* Report what became of a block; ERROR is the kernel's.  NULL if no message
     is wanted.  */
  void (*say) (uintptr_t block, enum hugetext_code_outcome outcome, int error);
  /* LEDGER points to this one where text has none.  */
  struct hugetext_ledger own;
};

/* Raise the first number when a field here changes its meaning: the sizes of
   the structs are part of it.  */
#define HUGETEXT_CODE_NUMBER                                \
  (UINT64_C (2) << 32 | sizeof (struct hugetext_code) << 16 \
   | sizeof (struct hugetext_ledger))

#endif /* hugetext-code.h */
