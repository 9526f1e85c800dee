/* What takes part in a comparison: a command under the stock loader, or under
   ours with settings.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONTENDER_H
#define CONTENDER_H

#include "launch.h"

struct contender
{
  const char *name; /* As it was given.  */
  bool stock;
  struct settings settings;
  char *tunables; /* Of GLIBC_TUNABLES; NULL: as they are.  */
  struct launch launch;
};

/* Fill in CONTENDER from WORDS: "stock", or of "on", "off", "code", a backing,
   "max=N" and "pad=BYTES" as many as are wanted, with commas.  Returns NULL,
   or what is wrong, in static memory.  */
extern const char *contender_parse (struct contender *contender,
                                    const char *words);

/* Have CONTENDER run LAUNCH, whose way is chosen, and whose namespace is held.
   False if there is no memory.  */
extern bool contender_prepare (struct contender *contender,
                               const struct launch *launch);

#endif
