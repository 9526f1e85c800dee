/* Print what the kernel says about the text of this process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _FACTS_H
#define _FACTS_H 1

#include <stddef.h>

/* Append one record, named TAG, to the file that the environment variable
   HUGETEXT_FACTS names, else write it to standard output.  The process does
   so by itself when it exits if the variable is set ("exit").

   A record is one line "process", one line "object" for each object and, for
   each of its writable segments, lines "data": what is mapped where, at
   link-time addresses.

     process TAG pid=N program=NAME exe=PATH wx=N maps=N mapped=BYTES
     object NAME ns=N type=dyn|exec text=BYTES start=ADDRESS end=ADDRESS
       huge=BYTES blocks=N copied=BYTES copies=N
       backing=thp|hugetlb|file|none|mixed
       bias=ADDRESS align=BYTES perms=PERMS
     data NAME ADDRESS-ADDRESS PERMS file+OFFSET|anon|hole

   NAME is "main", "loader", or the file name without its directory; wx
   counts mappings that are writable and executable; start and end are those
   of text at link time; huge is how much of the text has a huge page in the
   page tables, blocks is how many these are; copied and copies leave out
   huge pages of the page cache, which a recent kernel may give to any file
   without being asked; perms the permissions of the
   text, with commas between different ones, "-" if there is no text, and b
   in place of p where only marked branch targets are accepted (AArch64).  */
extern void hugetext_facts (const char *tag);

/* How many of LENGTH bytes at START are on huge pages that are not the page
   cache's.  */
extern size_t hugetext_copied (const void *start, size_t length);

/* The same of the text of NAME, an object made from text.S, with HANDLE as for
   dlsym.  Exits if there is none.  */
extern size_t hugetext_copied_text (void *handle, const char *name);

/* The number of mappings of this process, and how many bytes they are.  */
extern size_t hugetext_maps (size_t *bytes);

#endif /* facts.h */
