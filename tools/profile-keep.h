/* Make profiles of what was counted, and keep them in a folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_KEEP_H
#define PROFILE_KEEP_H

#include "profile-count.h"

/* What became of an object.  */
struct profile_kept
{
  const struct profile_counted *counted;
  const char *problem; /* Why there is no profile of it, or NULL.  */
  bool merged;         /* There was one already.  */
};

/* Put profiles of what is in COUNTS into FOLDER, merged with those that are
   there unless RESET.  KEPT, to be freed, is set to what became of COUNTS'
   objects, most samples first; strings in it are static, or COUNTS'.  SAY is
   called for a file that was there and is no good.  False with errno set if
   there is no memory.  */
extern bool profile_keep (const struct profile_counts *counts,
                          const char *folder, bool reset,
                          struct profile_kept **kept,
                          void (*say) (const char *file,
                                       const char *problem));

#endif
