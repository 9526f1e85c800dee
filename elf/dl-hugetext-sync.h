/* The write-back of files before the kernel gathers their pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SYNC_H
#define _DL_HUGETEXT_SYNC_H 1

#include "dl-hugetext-attempt.h"

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Have the kernel write all changes of the file FD to its disk.  False if it
   may not have done so.  */
extern bool _dl_hugetext_write_back (struct hugetext_attempt *attempt,
                                     int fd) attribute_hidden;

#endif

#endif /* dl-hugetext-sync.h */
