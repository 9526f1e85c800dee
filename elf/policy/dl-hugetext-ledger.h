/* The ledger of huge pages: the number that the process may have, and the
   number that each object uses.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only the functions of the ledger change its numbers.  The ledger has two
   budgets.  The budget of blocks limits entries of the instruction TLB; the
   budget of copies also limits memory.  The command and the code object also
   compile the ledger.

   The loader's lock protects the numbers of text.  Other threads make code
   huge at the same time, without locks.  Each side first writes how many
   blocks it will take, then reads the other side's number, so that both
   together never exceed the cap.  */

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
  size_t cap;                  /* The maximum number of blocks, from the user's
                                  setting or from the CPU.  0 until the loader
                                  asks the CPU.  Two threads may ask the CPU at
                                  once, and get the same result.  */
  size_t copies_cap;     /* The maximum number of copies, set together with
                            CAP.  */
  size_t copies_room;    /* The maximum number of copies that fit in memory, if
                            ROOM_KNOWN.  */
  bool room_known;       /* COPIES_ROOM is valid.  Cleared when memory limits
                            may have changed.  */
  uint32_t text;         /* The number of blocks of text, including blocks
                            about to be made huge.  Atomic operations only.  */
  size_t (*code) (void); /* Counts blocks of code, including blocks about to be
                            made huge.  NULL if the process does not track
                            code.  */
};

/* Return the maximum number of blocks of the process.  */
extern size_t
_dl_hugetext_ledger_cap (struct hugetext_ledger *ledger) attribute_hidden;

/* Return how many of WANTED blocks the cap still allows if USED blocks are in
   use.  */
extern size_t _dl_hugetext_ledger_places (struct hugetext_ledger *ledger,
                                          size_t used,
                                          size_t wanted) attribute_hidden;

/* Return how many of WANTED blocks the process may have in addition to its
   present ones.  */
extern size_t _dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger,
                                          size_t wanted) attribute_hidden;

/* Return the number of _dl_hugetext_ledger_blocks, and claim as many blocks
   for text until _dl_hugetext_ledger_settle.  */
extern size_t _dl_hugetext_ledger_claim (struct hugetext_ledger *ledger,
                                         size_t wanted) attribute_hidden;

/* Return how many more blocks of BLOCK bytes may be copies.  If the number is
   uncertain, return a safe lower number.  SCRATCH is a page of scratch
   space.  */
extern size_t _dl_hugetext_ledger_copies (struct hugetext_ledger *ledger,
                                          size_t block,
                                          char scratch[4096]) attribute_hidden;

/* Charge one block to CHARGE, the account of an object.  COPY says that the
   block is a copy.  */
static inline void
_dl_hugetext_ledger_take (struct hugetext_ledger *ledger,
                          struct hugetext_charge *charge, bool copy)
{
  ++charge->blocks;
  ++ledger->used.blocks;
  charge->copies += copy;
  ledger->used.copies += copy;
}

/* Settle LEDGER: release the blocks that were claimed and not made.  */
static inline void
_dl_hugetext_ledger_settle (struct hugetext_ledger *ledger)
{
  __atomic_store_n (&ledger->text, ledger->used.blocks, __ATOMIC_SEQ_CST);
}

/* Release the blocks in CHARGE, the account of an object that is being
   closed.  */
static inline void
_dl_hugetext_ledger_return (struct hugetext_ledger *ledger,
                            struct hugetext_charge *charge)
{
  ledger->used.blocks -= charge->blocks;
  ledger->used.copies -= charge->copies;
  *charge = (struct hugetext_charge){ 0, 0 };
  _dl_hugetext_ledger_settle (ledger);
}

/* Return the number of blocks of code made at run time.  */
static inline size_t
_dl_hugetext_ledger_code (const struct hugetext_ledger *ledger)
{
  return ledger->code != NULL ? ledger->code () : 0;
}

/* Return how many copies of BLOCK bytes fit in memory, including blocks of
   code.  SCRATCH is a page of scratch space.  */
extern size_t _dl_hugetext_ledger_room (const struct hugetext_ledger *ledger,
                                        size_t block,
                                        char scratch[4096]) attribute_hidden;

/* Whether the process's limit of RESOURCE (setrlimit) allows SIZE bytes.  A
   SIZE of UINT64_MAX asks whether there is no limit.  A memfd must not be
   larger than RLIMIT_FSIZE: the kernel would refuse to enlarge it and would
   send SIGXFSZ.  */
extern bool _dl_hugetext_limit_allows (int resource,
                                       uint64_t size) attribute_hidden;

#endif /* dl-hugetext-ledger.h */
