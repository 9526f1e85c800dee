/* The ledger of huge pages: how many the process may have, and how many each
   object uses.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only these functions change the numbers.  There are two budgets: blocks,
   which use entries of the instruction TLB, and copies, which are blocks that
   also use memory of their own.  The ledger is also compiled into the command
   and into the code object.

   The loader's lock protects the numbers of text.  Other threads make code
   huge at the same time, without locks: each side first writes how many blocks
   it will take, then reads the other side's number, so that both together
   never exceed the cap.  */

#ifndef _DL_HUGETEXT_LEDGER_H
#define _DL_HUGETEXT_LEDGER_H 1

#include <sys/resource.h>

#include "dl-hugetext-names.h"

/* The account of one object.  */
struct hugetext_charge
{
  uint32_t blocks;
  uint32_t copies;
};

struct hugetext_ledger
{
  struct hugetext_charge used; /* Blocks and copies of all objects.  */
  size_t cap;            /* The most blocks, by the user's setting or by the
                            CPU; 0 until the CPU is asked.  Two threads may ask
                            the CPU at once, and get the same result.  */
  size_t copies_cap;     /* The most copies, set together with CAP.  */
  size_t copies_room;    /* The most copies that fit in memory, if
                            ROOM_KNOWN.  */
  bool room_known;       /* Cleared when the limits may have changed.  */
  uint32_t text;         /* Blocks of text, including those about to be made.
                            Atomic operations only.  */
  size_t (*code) (void); /* Counts blocks of code, including those about to be
                            made; NULL if the process does not follow code.  */
};

/* The most blocks that the process may have.  */
extern size_t
_dl_hugetext_ledger_cap (struct hugetext_ledger *ledger) attribute_hidden;

/* Return how many of WANTED more blocks the cap allows on top of USED.  */
extern size_t _dl_hugetext_ledger_places (struct hugetext_ledger *ledger,
                                          size_t used,
                                          size_t wanted) attribute_hidden;

/* Return how many of WANTED more blocks the process may have.  */
extern size_t _dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger,
                                          size_t wanted) attribute_hidden;

/* Return the same number, and claim that many blocks for text until the ledger
   is settled.  */
extern size_t _dl_hugetext_ledger_claim (struct hugetext_ledger *ledger,
                                         size_t wanted) attribute_hidden;

/* Return how many more blocks of BLOCK bytes may be copies; if that is not
   certain, a lower number that is.  SCRATCH is a page of scratch space.  */
extern size_t _dl_hugetext_ledger_copies (struct hugetext_ledger *ledger,
                                          size_t block,
                                          char scratch[4096]) attribute_hidden;

/* Charge one block, a copy if COPY, to the object with CHARGE.  */
static inline void
_dl_hugetext_ledger_take (struct hugetext_ledger *ledger,
                          struct hugetext_charge *charge, bool copy)
{
  ++charge->blocks;
  ++ledger->used.blocks;
  charge->copies += copy;
  ledger->used.copies += copy;
}

/* Settle LEDGER: release blocks that were claimed and not made.  */
static inline void
_dl_hugetext_ledger_settle (struct hugetext_ledger *ledger)
{
  __atomic_store_n (&ledger->text, ledger->used.blocks, __ATOMIC_SEQ_CST);
}

/* Return CHARGE, of an object that is being closed, to the ledger.  */
static inline void
_dl_hugetext_ledger_return (struct hugetext_ledger *ledger,
                            struct hugetext_charge *charge)
{
  ledger->used.blocks -= charge->blocks;
  ledger->used.copies -= charge->copies;
  *charge = (struct hugetext_charge){ 0, 0 };
  _dl_hugetext_ledger_settle (ledger);
}

/* The number of blocks of code made at run time.  */
static inline size_t
_dl_hugetext_ledger_code (const struct hugetext_ledger *ledger)
{
  return ledger->code != NULL ? ledger->code () : 0;
}

/* Return the number of copies of BLOCK bytes, code included, that fit in
   memory.  SCRATCH is a page of scratch space.  */
extern size_t _dl_hugetext_ledger_room (const struct hugetext_ledger *ledger,
                                        size_t block,
                                        char scratch[4096]) attribute_hidden;

/* Whether the process's limit of RESOURCE (setrlimit) allows SIZE bytes; with
   SIZE UINT64_MAX, whether there is no limit.  A memory file must not be
   larger than RLIMIT_FSIZE: the kernel would refuse it and also send
   SIGXFSZ.  */
extern bool _dl_hugetext_limit_allows (int resource,
                                       uint64_t size) attribute_hidden;

#endif /* dl-hugetext-ledger.h */
