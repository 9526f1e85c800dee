/* What to do about a block of a file that the page cache has in small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Loader, store, prime and attach ask it, each with what it has found out by
   its own system calls.  A block is dropped from the cache and read again only
   if nobody else uses its small pages: reading it costs others time, and pages
   that a process has mapped stay anyway.  The kernel may collapse small pages
   where they are.  */

#ifndef _DL_HUGETEXT_CACHED_H
#define _DL_HUGETEXT_CACHED_H 1

#include <stdbool.h>

/* A block of a file in the page cache.  */
struct hugetext_cached
{
  bool huge;  /* It is a huge page.  */
  bool cut;   /* The file ends in it.  */
  bool spare; /* Its small pages may go: this process alone has had them read,
                 it is of an image, or it is not cached as a whole.  */
  bool dirty; /* Changes of it are not on the disk yet: they do not go.  */
  bool renewed;   /* It has been dropped and read again.  */
  bool collapses; /* The kernel would collapse its small pages.  */
};

/* What is to be done next.  */
enum hugetext_cache_step
{
  HUGETEXT_CACHE_DONE,     /* Nothing: it is huge.  */
  HUGETEXT_CACHE_READ,     /* Drop it, and read it again.  */
  HUGETEXT_CACHE_COLLAPSE, /* Have the kernel collapse it.  */
  HUGETEXT_CACHE_LEAVE     /* Nothing can be done.  */
};

static inline enum hugetext_cache_step
hugetext_cache_step (struct hugetext_cached block)
{
  return (block.huge  ? HUGETEXT_CACHE_DONE
          : block.cut ? HUGETEXT_CACHE_LEAVE
          : block.spare && !block.dirty && !block.renewed ? HUGETEXT_CACHE_READ
          : block.collapses ? HUGETEXT_CACHE_COLLAPSE
                            : HUGETEXT_CACHE_LEAVE);
}

#endif /* dl-hugetext-cached.h */
