/* The policy for a block of a file, if the page cache holds the block in small
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader and the command (store, prime and attach) use this policy, each
   with facts from its own system calls.  The loader evicts a block from the
   page cache and reads it again only if no other process uses its small pages.
   The kernel cannot evict a page while a process has mapped it.  If another
   process reads the block without mapping it, the loader does not evict the
   block either, because the other process would have to wait for the disk.  A
   block that the loader does not evict can become huge only if the kernel
   collapses its small pages into a huge page.  */

#ifndef _DL_HUGETEXT_CACHED_H
#define _DL_HUGETEXT_CACHED_H 1

#include <stdbool.h>

/* The facts about a block of a file in the page cache.  */
struct hugetext_cached
{
  bool huge;      /* The page cache holds the block as a huge page.  */
  bool cut;       /* The file ends inside the block.  */
  bool spare;     /* True if the loader may evict the small pages of the block:
                     the file is an image, the block is not completely cached,
                     or no other process has caused the kernel to cache the
                     pages.  */
  bool dirty;     /* The block has changes that are not on the disk yet, so the
                     kernel cannot evict it.  */
  bool renewed;   /* The loader has already evicted the block and read it
                     again.  */
  bool collapses; /* If the loader makes the call MADV_COLLAPSE, the
                     kernel collapses the block's small pages into a huge
                     page.  */
};

/* What the loader does next to make a cached block of a file huge.  */
enum hugetext_cache_step
{
  HUGETEXT_CACHE_DONE,     /* The loader does nothing, because the block is
                              already huge.  */
  HUGETEXT_CACHE_READ,     /* The loader evicts the block and reads it
                              again.  */
  HUGETEXT_CACHE_COLLAPSE, /* The loader asks the kernel to collapse the
                              block.  */
  HUGETEXT_CACHE_LEAVE     /* The loader does nothing, because no step can make
                              the block huge.  */
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
