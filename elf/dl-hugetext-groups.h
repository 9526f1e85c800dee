/* The memory that the limits of control groups leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_GROUPS_H
#define _DL_HUGETEXT_GROUPS_H 1

#include <stddef.h>
#include <stdint.h>

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

#  ifndef attribute_hidden
#    define attribute_hidden __attribute__ ((visibility ("hidden")))
#  endif

/* Return the number of bytes that the process's control groups leave for
   copies, where half of each limit is left to the program; SIZE_MAX if no
   limit is set.  BUFFER, of SIZE bytes, is scratch space.  */
extern size_t _dl_hugetext_groups_left (char *buffer,
                                        size_t size) attribute_hidden;

#endif

#endif /* dl-hugetext-groups.h */
