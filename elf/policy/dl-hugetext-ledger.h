/* The ledger of huge pages: how many huge pages the process may have, and how
   many each object uses.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The ledger counts the huge pages of a process.  Only the functions of the
   ledger change its numbers.  The ledger has two budgets.  The budget of
   blocks protects the entries of the instruction TLB; the budget of copies,
   which is a part of the budget of blocks, also protects memory.  The loader,
   the command and hugetext-code.so all compile the ledger.

   The loader's lock protects the numbers of blocks of text in the ledger.  At
   the same time, other threads may put code made at run time on huge pages
   without this lock.  The loader and hugetext-code.so each first write how
   many blocks they are going to take, and then read the number of the other.
   So the blocks of text and of code together never exceed the cap.  */

#ifndef _DL_HUGETEXT_LEDGER_H
#define _DL_HUGETEXT_LEDGER_H 1

#include <sys/resource.h>

#include "dl-hugetext-names.h"

/* The numbers of huge blocks and of copies that one object uses.  */
struct hugetext_charge
{
  uint32_t blocks;
  uint32_t copies;
};

struct hugetext_ledger
{
  struct hugetext_charge used; /* The huge blocks and copies that all objects
                                  together use.  */
  size_t cap;                  /* The maximum number of blocks: the user's
                                  setting, or a number computed from the CPU.
                                  The member is 0 until the loader has queried
                                  the CPU.  If two threads query the CPU at the
                                  same time, both get the same number.  */
  size_t copies_cap;     /* The maximum number of copies; the loader computes
                            this number together with CAP.  */
  size_t copies_room;    /* The maximum number of copies that fit in memory;
                            valid only if ROOM_KNOWN.  */
  bool room_known;       /* True if the member COPIES_ROOM is valid.  The
                            loader clears this member at the beginning of each
                            start and each dlopen, because memory limits may
                            have changed.  */
  uint32_t text;         /* The number of blocks of text, including blocks that
                            are about to become huge.  Use only atomic
                            operations to read and write TEXT.  */
  size_t (*code) (void); /* A function that counts the blocks of code made at
                            run time, including blocks that are about to become
                            huge.  The member is NULL if the process does not
                            track code made at run time.  */
};

/* Return the maximum number of blocks that the process may have.  */
extern size_t
_dl_hugetext_ledger_cap (struct hugetext_ledger *ledger) attribute_hidden;

/* Return how many of WANTED further blocks the cap allows when USED blocks
   are in use.  */
extern size_t _dl_hugetext_ledger_places (struct hugetext_ledger *ledger,
                                          size_t used,
                                          size_t wanted) attribute_hidden;

/* Return how many of WANTED further blocks the process may have now.  */
extern size_t _dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger,
                                          size_t wanted) attribute_hidden;

/* Return the result of _dl_hugetext_ledger_blocks, and claim this number of
   blocks for text.  This claim on blocks lasts until
   _dl_hugetext_ledger_settle is called.  */
extern size_t _dl_hugetext_ledger_claim (struct hugetext_ledger *ledger,
                                         size_t wanted) attribute_hidden;

/* Return how many more copies of BLOCK bytes the process may have.  If the
   exact number of possible copies is unknown, the function returns a lower
   number, which is safe.  SCRATCH is a page of scratch space for this
   function.  */
extern size_t _dl_hugetext_ledger_copies (struct hugetext_ledger *ledger,
                                          size_t block,
                                          char scratch[4096]) attribute_hidden;

/* Add one block to CHARGE, the account of the block's object.  COPY says that
   the block is a copy.  */
static inline void
_dl_hugetext_ledger_take (struct hugetext_ledger *ledger,
                          struct hugetext_charge *charge, bool copy)
{
  ++charge->blocks;
  ++ledger->used.blocks;
  charge->copies += copy;
  ledger->used.copies += copy;
}

/* Give back the blocks that were claimed for text but did not become
   huge.  */
static inline void
_dl_hugetext_ledger_settle (struct hugetext_ledger *ledger)
{
  __atomic_store_n (&ledger->text, ledger->used.blocks, __ATOMIC_SEQ_CST);
}

/* Give back all blocks in CHARGE, the account of an object that is being
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

/* Return how many copies of BLOCK bytes fit in memory.  Blocks of code made at
   run time count as copies.  SCRATCH is a page of scratch space for this
   function.  */
extern size_t _dl_hugetext_ledger_room (const struct hugetext_ledger *ledger,
                                        size_t block,
                                        char scratch[4096]) attribute_hidden;

/* Return true if the process's limit of RESOURCE (setrlimit) allows SIZE
   bytes.  If SIZE is UINT64_MAX, return true if RESOURCE has no limit.
   Callers check RLIMIT_FSIZE before they make a memfd: if a memfd exceeded
   this limit, the kernel would refuse to enlarge it and send SIGXFSZ.  */
extern bool _dl_hugetext_limit_allows (int resource,
                                       uint64_t size) attribute_hidden;

#endif /* dl-hugetext-ledger.h */
