/* Explain why a block is on small pages, from the reason that the loader has
   recorded for the block.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REASON_H
#define REASON_H

#include "explain/explain.h"
#include "object/reason.h"
#include "text/record.h"

/* Set the explanation of BLOCK to the words of REASON.  */
extern void reason_set_row (struct explained_block *block,
                            enum hugetext_reason reason,
                            const struct reason_about *about);

/* Explain BLOCK if the loader skips the block's whole object because of
   REASON, which PROBLEM describes.  */
extern void reason_set_alone (struct explained_block *block,
                              enum hugetext_reason reason,
                              const struct problem *problem);

/* If ld-hugetext.so has kept the address that the stock loader would give the
   object of ENTRY, return the reason for keeping the address.  If
   ld-hugetext.so chose the address, return HUGETEXT_NONE.  PROGRAM is true if
   the object is the program, not a library.  SETTINGS are those of the
   process.  */
extern enum hugetext_reason reason_left (const struct hugetext_entry *entry,
                                         bool program,
                                         const struct settings *settings);

/* Set the explanation of BLOCK, which is on small pages because of REASON.
   LEFT is the reason why the loader has not chosen the address of the block's
   object, or HUGETEXT_NONE (reason_left).  If LEFT is not HUGETEXT_NONE, and
   REASON is a consequence of the object's address, begin the explanation with
   LEFT, and give the remedy for LEFT.  */
extern void reason_set_at (struct explained_block *block,
                           enum hugetext_reason left,
                           enum hugetext_reason reason,
                           const struct reason_about *about);

/* Set the explanation of BLOCK, a block on small pages of the object of ENTRY.
   REASON is the reason that the loader has recorded for the block
   (record_reason).  LEFT is the reason why the loader has not chosen the
   object's address, or HUGETEXT_NONE (reason_left).  */
extern void reason_of_small (const struct hugetext_entry *entry,
                             enum hugetext_reason left,
                             const struct reason_about *about,
                             enum hugetext_reason reason,
                             struct explained_block *block);

#endif
