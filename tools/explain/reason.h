/* The words for the fate of a block in the loader's record.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REASON_H
#define REASON_H

#include "explain/explain.h"
#include "text/record.h"

/* Set the explanation of BLOCK.  */
extern void reason_set (struct explained_block *block, const char *verdict,
                        const char *reason, const char *remedy);

/* Return why the object of ENTRY, the PROGRAM or a library, is at the stock
   loader's address; NULL if it is not.  */
extern const char *reason_left (const struct hugetext_entry *entry,
                                bool program);

/* Explain why BLOCK of ENTRY's object is on small pages, by its FATE, by
   record_fate.  LEFT is reason_left's
   result.  */
extern void reason_of_small (const struct hugetext_entry *entry,
                             const char *left, const struct settings *settings,
                             unsigned int fate, struct explained_block *block);

#endif
