/* The memory and addresses that limits of the process and its control groups
   leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only; also compiled into the command.  */

#ifndef _DL_HUGETEXT_LIMITS_H
#define _DL_HUGETEXT_LIMITS_H 1

#include <stdbool.h>
#include <stddef.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

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

/* True if the process's address space is limited (RLIMIT_AS).  */
extern bool _dl_hugetext_space_limited (void) attribute_hidden;

/* True if the process's private writable memory is limited (RLIMIT_DATA).  */
extern bool _dl_hugetext_data_limited (void) attribute_hidden;

/* True if RLIMIT_FSIZE allows a file of SIZE bytes.  Where it does not, the
   kernel refuses and sends SIGXFSZ as well.  */
extern bool _dl_hugetext_may_make_file (size_t size) attribute_hidden;

#endif /* dl-hugetext-limits.h */
