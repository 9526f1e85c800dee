/* The memory and addresses that limits of the process and its control groups
   leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only; also compiled into the command.  */

#ifndef _DL_HUGETEXT_LIMITS_H
#define _DL_HUGETEXT_LIMITS_H 1

#include <sys/resource.h>

#include "dl-hugetext-names.h"

/* Return the bytes that copies may take where LIMIT bytes are the most and
   LEFT of them are left: one part in SHARE of the limit stays for the program,
   whatever other processes have taken.  */
static inline size_t
_dl_hugetext_beyond (size_t left, size_t limit, size_t share)
{
  return left > limit / share ? left - limit / share : 0;
}

/* Return how many more bytes copies may take, by the limits of the process's
   control groups and by the machine's available memory: the bytes left,
   without half of each limit and without an eighth of the machine's memory;
   SIZE_MAX if neither is known.  BUFFER, of SIZE bytes (a page is enough), is
   scratch space.  */
extern size_t _dl_hugetext_memory_left (char *buffer,
                                        size_t size) attribute_hidden;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else
/* Return the number of bytes that the process's control groups leave for
   copies, where half of each limit is left to the program; SIZE_MAX if no
   limit is set.  BUFFER, of SIZE bytes, is scratch space.  */
extern size_t _dl_hugetext_groups_left (char *buffer,
                                        size_t size) attribute_hidden;
#endif

/* Whether the process's limit of RESOURCE (setrlimit) allows SIZE bytes, or
   UINT64_MAX for no limit.  A memory file must not be larger than
   RLIMIT_FSIZE: the kernel would refuse it, and send SIGXFSZ as well.  */
extern bool _dl_hugetext_limit_allows (int resource,
                                       uint64_t size) attribute_hidden;

#endif /* dl-hugetext-limits.h */
