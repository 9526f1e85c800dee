/* How many huge pages the process may have, and who has how many.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The only place where these numbers go up and down.  Two budgets: blocks,
   which take entries of the instruction TLB, and those of them that are
   copies, which take memory of their own.  Also compiled into the command.  */

#ifndef _DL_HUGETEXT_LEDGER_H
#define _DL_HUGETEXT_LEDGER_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
# define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* What one object has.  */
struct hugetext_charge
{
  uint32_t blocks;
  uint32_t copies;
};

struct hugetext_ledger
{
  struct hugetext_charge used;  /* By all objects.  */
  size_t cap;                   /* Most blocks, 0 if the CPU is still to be
                                   asked,  */
  size_t copies_cap;            /* likewise copies.  */
  size_t copies_room;           /* Most copies for which there is memory, if
                                   that is known.  */
  bool room_known;
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
extern size_t _dl_hugetext_ledger_cap (struct hugetext_ledger *ledger)
  attribute_hidden;

/* How many of WANTED more blocks the process may have.  */
extern size_t _dl_hugetext_ledger_blocks (struct hugetext_ledger *ledger,
                                          size_t wanted) attribute_hidden;

/* How many more of BLOCK bytes each may be copies, or for how many that is
   certain.  SCRATCH is a page of scratch space.  */
extern size_t _dl_hugetext_ledger_copies (struct hugetext_ledger *ledger,
                                          size_t block, char scratch[4096])
  attribute_hidden;

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

/* It gives one back that is no copy.  */
static inline void
_dl_hugetext_ledger_give (struct hugetext_ledger *ledger,
                          struct hugetext_charge *charge)
{
  --charge->blocks;
  --ledger->used.blocks;
}

/* An object with CHARGE goes.  */
static inline void
_dl_hugetext_ledger_return (struct hugetext_ledger *ledger,
                            struct hugetext_charge *charge)
{
  ledger->used.blocks -= charge->blocks;
  ledger->used.copies -= charge->copies;
  *charge = (struct hugetext_charge) { 0, 0 };
}

#endif /* dl-hugetext-ledger.h */
