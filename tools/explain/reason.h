/* The words for the fate of a block in the loader's record.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REASON_H
#define REASON_H

#include "explain/explain.h"
#include "text/loader-record.h"

/* Other facts on which the words depend.  */
struct reason_context
{
  const struct hugetext_entry *entry; /* The object's entry in the record.  */
  const struct settings *settings;
  bool program; /* The object is the program.  */
};

/* Return why the object of CONTEXT is at the stock loader's address, and set
   REMEDY; NULL if it is not.  */
extern const char *reason_left (const struct reason_context *context,
                                const char **remedy);

/* Write to TO, which has the block's text, huge, small and heat, why the block
   is on small pages: FATE, an enum hugetext_fate without
   HUGETEXT_FATE_UNLOCKED.  */
extern void reason_of_small (const struct reason_context *context,
                             unsigned int fate, struct explained_block *to);

#endif
