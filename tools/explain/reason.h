/* Words for the loader's record of a block.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REASON_H
#define REASON_H

#include "explain/explain.h"
#include "text/loader-record.h"

/* Other facts on which the words depend.  */
struct reason_context
{
  const struct hugetext_entry *entry; /* Of the object.  */
  const struct settings *settings;
  bool program; /* The object is the program.  */
};

/* Why the object of CONTEXT was left where it is mapped without us, and in
   REMEDY what would change that; NULL if it was not.  */
extern const char *reason_left (const struct reason_context *context,
                                const char **remedy);

/* Say in TO, which has the block's text, huge, small and heat, why it is on
   small pages: FATE, an enum hugetext_fate without
   HUGETEXT_FATE_UNLOCKED.  */
extern void reason_of_small (const struct reason_context *context,
                             unsigned int fate, struct explained_block *to);

#endif
