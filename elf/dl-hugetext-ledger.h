/* The ledger of huge pages: how many the process may have, and how many each
   object has.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The only place where these numbers go up and down.  Two budgets: blocks,
   which take entries of the instruction TLB, and those of them that are
   copies, which take memory of their own.  Also compiled into the command, and
   into the object that follows code made at run time.

   What is of text is guarded by the loader's lock.  Code is made huge by other
   threads at the same time, without locks: each side first says what it is
   going to take, then looks at what the other has said, so that both together
   never have more than the cap.  */

#ifndef _DL_HUGETEXT_LEDGER_H
#define _DL_HUGETEXT_LEDGER_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* The account of one object.  */
struct hugetext_charge
{
  uint32_t blocks;
  uint32_t copies;
};

struct hugetext_ledger
{
  struct hugetext_charge used; /* By all objects.  */
  size_t cap;                  /* Most blocks, 0 if the CPU is still to be
                                  asked (which may happen twice, with the same
                                  result),  */
  size_t copies_cap;           /* likewise copies.  */
  size_t copies_room;          /* Most copies for which there is memory, if
                                  that is known.  */
  bool room_known;
  uint32_t text; /* Blocks of text, with those that are about to
                    be made,  */
  uint32_t code; /* and of code: by atomic operations only.  */
};

/* Open LEDGER.  MAX is the user's word on blocks, 0 if there is none.  */
extern void _dl_hugetext_ledger_open (struct hugetext_ledger *ledger,
                                      size_t max) attribute_hidden;

/* Memory limits may have changed: ask again when next needed.  */
static inline void
_dl_hugetext_ledger_refresh (struct hugetext_ledger *ledger)
{
  ledger->room_known = false;
}

/* Most blocks that the process may have.  */
extern size_t
_dl_hugetext_ledger_cap (struct hugetext_ledger *ledger) attribute_hidden;

/* How many of WANTED more blocks the process may have.  */
extern size_t _dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger,
                                          size_t wanted) attribute_hidden;

/* The same, and they are claimed for text until the ledger is settled.  */
extern size_t _dl_hugetext_ledger_claim (struct hugetext_ledger *ledger,
                                         size_t wanted) attribute_hidden;

/* How many more of BLOCK bytes each may be copies, or for how many that is
   certain.  SCRATCH is a page of scratch space.  */
extern size_t _dl_hugetext_ledger_copies (struct hugetext_ledger *ledger,
                                          size_t block,
                                          char scratch[4096]) attribute_hidden;

/* Whether that is none by the cap, and not by memory limits.  */
static inline bool
_dl_hugetext_ledger_full (const struct hugetext_ledger *ledger)
{
  return ledger->copies_cap != 0 && ledger->used.copies >= ledger->copies_cap;
}

/* An object with CHARGE gets a block, which is a COPY or not.  */
static inline void
_dl_hugetext_ledger_take (struct hugetext_ledger *ledger,
                          struct hugetext_charge *charge, bool copy)
{
  ++charge->blocks;
  ++ledger->used.blocks;
  charge->copies += copy;
  ledger->used.copies += copy;
}

/* Claimed blocks that are not used by now are free again.  */
static inline void
_dl_hugetext_ledger_settle (struct hugetext_ledger *ledger)
{
  __atomic_store_n (&ledger->text, ledger->used.blocks, __ATOMIC_SEQ_CST);
}

/* An object with CHARGE goes.  */
static inline void
_dl_hugetext_ledger_return (struct hugetext_ledger *ledger,
                            struct hugetext_charge *charge)
{
  ledger->used.blocks -= charge->blocks;
  ledger->used.copies -= charge->copies;
  *charge = (struct hugetext_charge){ 0, 0 };
  _dl_hugetext_ledger_settle (ledger);
}

/* Blocks of code made at run time.  */
static inline size_t
_dl_hugetext_ledger_code (const struct hugetext_ledger *ledger)
{
  return __atomic_load_n (&ledger->code, __ATOMIC_SEQ_CST);
}

/* Take a place for a block of code.  False if there is none.  */
extern bool _dl_hugetext_ledger_take_code (struct hugetext_ledger *ledger)
    attribute_hidden;

/* Give N back.  */
static inline void
_dl_hugetext_ledger_give_code (struct hugetext_ledger *ledger, size_t n)
{
  __atomic_fetch_sub (&ledger->code, n, __ATOMIC_SEQ_CST);
}

/* Whether there is memory for the blocks of code that have been taken.
   SCRATCH is a page.  */
extern bool
_dl_hugetext_ledger_code_fits (struct hugetext_ledger *ledger, size_t block,
                               char scratch[4096]) attribute_hidden;

#endif /* dl-hugetext-ledger.h */
