/* The interface between the loader and the code object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The object (code/) is preloaded when glibc.mem.hugetext says so.  Its entry
   point is its struct hugetext_code, which the loader fills in before
   anything of the object has run.  Both are of one build; a note in the
   object's file tells one that is not.  */

#ifndef _HUGETEXT_CODE_H
#define _HUGETEXT_CODE_H 1

#include <stdint.h>
#include <time.h>

#include "dl-hugetext-ledger.h"

/* The object's file.  */
#define HUGETEXT_CODE_FILE "hugetext-code.so"

/* A block of N small pages is made if so many of them have been touched: the
   others are new memory.  */
#define HUGETEXT_CODE_ENOUGH(n) ((n) - (n) / 4)

/* The outcome of a block.  */
enum hugetext_code_outcome
{
  HUGETEXT_CODE_MADE,
  HUGETEXT_CODE_OVER_CAP,
  HUGETEXT_CODE_NO_ROOM,
  HUGETEXT_CODE_REFUSED /* By the kernel.  */
};

struct hugetext_code
{
  /* Blocks of text and of code; NULL if nothing is to be done.  */
  struct hugetext_ledger *ledger;
  uintptr_t page, block;
  /* The kernel's clock, which is no system call.  */
  int (*clock) (clockid_t clock, struct timespec *time);
  /* Say what became of a block, NULL if no message is wanted; ERROR is the
     kernel's.  */
  void (*say) (uintptr_t block, enum hugetext_code_outcome outcome, int error);
  /* Say how many blocks there are when the process ends; likewise.  */
  void (*say_end) (void);
  /* LEDGER points there where text has none.  */
  struct hugetext_ledger own;
};

/* The note, by name and type; its contents are the number below.  To be
   raised when any of this changes its meaning: sizes are in it.  */
#define HUGETEXT_CODE_NOTE "hugetext"
#define HUGETEXT_CODE_NOTE_TYPE 1
#define HUGETEXT_CODE_NUMBER                                \
  (UINT64_C (1) << 32 | sizeof (struct hugetext_code) << 16 \
   | sizeof (struct hugetext_ledger))

struct hugetext_code_note
{
  uint32_t name_size, size, type;
  char name[12]; /* Padded to a multiple of 4.  */
  uint64_t number;
};

#endif /* hugetext-code.h */
