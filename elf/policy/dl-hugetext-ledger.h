/* The ledger of huge pages: how many huge pages the process may have, and how
   many each object uses.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The ledger counts the huge pages of a process, and enforces two limits.  The
   limit on huge blocks (the cap) keeps huge text within the entries of the
   instruction TLB.  The limit on copies keeps the process from using too much
   memory; a copy also counts towards the cap.  The source of the ledger is
   compiled into the loader, into the command and into hugetext-code.so.

   The loader's lock protects the counts of text blocks in the ledger.  While
   the loader holds its lock, other threads may put code made at run time on
   huge pages, because hugetext-code.so does not take the loader's lock.  The
   loader and hugetext-code.so each first write how many blocks they are going
   to take, and then read the number of the other.  So the number of text
   blocks plus the number of blocks of code made at run time never exceeds the
   cap.  */

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
                                  same time, both compute the same cap.  */
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

/* Return the cap: the maximum number of huge blocks that the process may
   have.  */
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
   blocks for text.  The loader calls _dl_hugetext_ledger_settle to give back
   the claimed blocks that did not become huge.  */
extern size_t _dl_hugetext_ledger_claim (struct hugetext_ledger *ledger,
                                         size_t wanted) attribute_hidden;

/* Return how many more copies of BLOCK bytes the process may have.  If the
   exact number of possible copies is unknown, the function returns a lower
   number, which is safe.  SCRATCH is a page of scratch space for this
   function.  */
extern size_t _dl_hugetext_ledger_copies (struct hugetext_ledger *ledger,
                                          size_t block,
                                          char scratch[4096]) attribute_hidden;

/* Add one huge block to LEDGER and to CHARGE, the counts of the block's
   object.  COPY is true if the block is a copy.  */
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

/* Subtract from LEDGER all blocks that CHARGE counts for an object that is
   being closed.  */
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
