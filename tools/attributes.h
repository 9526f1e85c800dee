/* Give a new file all that an old one has beside its contents.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include <sys/stat.h>

/* Why a copy of the file FD cannot have what it has, as far as that is known
   without trying: flags that say that it must stay as it is.  NULL if there is
   no such thing.  In static memory.  */
extern const char *attributes_refuse (int fd);

/* Give TO, which is complete, what FROM with STATUS has: owner, extended
   attributes (access control lists and capabilities are such), mode, flags,
   times; and see that it has them.  Returns NULL, or what it cannot have, in
   static memory.  */
extern const char *attributes_copy (int from, const struct stat *status,
                                    int to);

#endif
