/* The policy for a block of a file that the page cache holds in small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Loader, store, prime and attach use this policy, each with facts from its
   own system calls.  A block is dropped from the cache and read again only if
   no other process uses its small pages.  A second read would cost other
   processes time, and pages that a process has mapped cannot be dropped.  The
   kernel may also collapse small pages in place.  */

#ifndef _DL_HUGETEXT_CACHED_H
#define _DL_HUGETEXT_CACHED_H 1

#include <stdbool.h>

/* A block of a file in the page cache.  */
struct hugetext_cached
{
  bool huge;    /* The block is cached as a huge page.  */
  bool cut;     /* The file ends inside the block.  */
  bool spare;   /* The small pages may be dropped: only the present process has
                   caused them to be read, the file is an image, or the block
                   is not cached as a whole.  */
  bool dirty;   /* The block has changes that are not on the disk yet, so the
                   kernel cannot drop the block.  */
  bool renewed; /* The block has been dropped and read again.  */
  bool collapses; /* The kernel would collapse the small pages.  */
};

/* The next step for a block.  */
enum hugetext_cache_step
{
  HUGETEXT_CACHE_DONE,     /* The block is huge: nothing to do.  */
  HUGETEXT_CACHE_READ,     /* Drop the block and read it again.  */
  HUGETEXT_CACHE_COLLAPSE, /* Ask the kernel to collapse the block.  */
  HUGETEXT_CACHE_LEAVE     /* No step can make the block huge.  */
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
