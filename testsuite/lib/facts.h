/* Print what the kernel says about the text of this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _FACTS_H
#define _FACTS_H 1

#include <stddef.h>

/* Append a record named TAG to the file that the environment variable
   HUGETEXT_FACTS names.  If the variable is not set, write the record to
   standard output.  If the variable is set, the process also writes a record
   "exit" when it exits.

   A record is one line "process", one line "object" for each object and, for
   each of its writable segments, lines "data": what is mapped where, at
   link-time addresses.

     process TAG pid=N program=NAME exe=PATH wx=N maps=N mapped=BYTES
     object NAME ns=N type=dyn|exec text=BYTES start=ADDRESS end=ADDRESS
       huge=BYTES blocks=N copied=BYTES copies=N
       backing=thp|hugetlb|file|none|mixed
       bias=ADDRESS align=BYTES perms=PERMS
     data NAME ADDRESS-ADDRESS PERMS file+OFFSET|anon|hole

   NAME is "main", "loader", or the file name without its directory.  wx is
   the number of mappings that are both writable and executable.  start and
   end are the link-time addresses of the text.  huge is the number of bytes
   of the text that the page tables map by huge pages, and blocks is the
   number of these huge pages.  copied and copies do not count huge pages of
   the page cache, which a recent kernel may give to any file by itself.
   perms is the permissions of the text: different ones are separated by
   commas, and "-" means that there is no text; "b" in place of "p" means that
   only marked branch targets are accepted (AArch64).  */
extern void hugetext_facts (const char *tag);

/* Return how many of the LENGTH bytes at START are on huge pages that do not
   belong to the page cache.  */
extern size_t hugetext_copied (const void *start, size_t length);

/* Return how many bytes of the text of NAME, an object made from text.S, are
   on huge pages that do not belong to the page cache.  HANDLE is a handle for
   dlsym.  Exit if the object NAME does not exist.  */
extern size_t hugetext_copied_text (void *handle, const char *name);

/* Return how many mappings this process has, and set BYTES to their total
   size.  */
extern size_t hugetext_maps (size_t *bytes);

#endif /* facts.h */
