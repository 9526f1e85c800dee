/* Policy of ld-hugetext: which backings may blocks have?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy makes no system call.  If a system call is needed to find out a
   fact, the policy asks its caller for the fact, and only if the fact affects
   the result.  */

#ifndef _DL_HUGETEXT_WAYS_H
#define _DL_HUGETEXT_WAYS_H 1

#include "dl-hugetext-names.h"

/* Facts for which the policy asks its caller.  The policy asks only if
   necessary, because the caller may need system calls to find out.  */
enum hugetext_fact
{
  HUGETEXT_IS_TRACED,       /* A debugger may trace the process.  */
  HUGETEXT_IS_READABLE,     /* The process can read the object's file.  */
  HUGETEXT_LOOKS_FOR_PATH,  /* The object may look for its own path in
                               /proc/self/maps, where copies have no path.  The
                               settings do not allow copies of an object that
                               may look for its path.  */
  HUGETEXT_HAS_IMAGE,       /* The store has an image of the object.  */
  HUGETEXT_MAY_COLLAPSE,    /* The administrator has not switched off
                               transparent huge pages.  */
  HUGETEXT_MAY_ANONYMOUS,   /* The kernel lets the process make anonymous
                               memory executable after writing to it.  */
  HUGETEXT_MAY_MEMORY_FILE, /* The kernel lets the process make a memfd and
                               map it executable.  */
  /* The following facts are about the object at the place that
     hugetext_choose is evaluating:  */
  HUGETEXT_HAS_FILE_BLOCK,  /* The first block that the caller examines is, or
                               can be, cached as a huge page.  */
  HUGETEXT_HAS_FILE_BLOCKS, /* All blocks, except cold blocks, are now cached
                               as huge pages.  */
  HUGETEXT_HAS_ROOM /* As far as the loader knows before it tries, the process
                       can get one more copy: the cap, the memory, the limits
                       and the settings of the process allow it.  */
};

/* A function of the policy's caller that returns whether FACT is true.
   CLOSURE is the caller's data.  */
typedef bool hugetext_ask (void *closure, enum hugetext_fact fact);

/* Blocks of one object that can have the same backings, and the facts that
   decide between these backings.  */
struct hugetext_wish
{
  enum hugetext_choice choice;
  bool images;         /* The index has records of images.  */
  bool congruent;      /* The run-time addresses of the blocks are congruent
                          to their file offsets, so the blocks can be huge
                          pages of the object's own file.  */
  bool file_ruled_out; /* The page cache is known to have no huge pages of the
                          file for the blocks.  */
  bool unstored;       /* The store is known to have no image that contains the
                          blocks.  The image of an object does not always
                          contain all its blocks.  */
  bool name;           /* One of the blocks must stay mapped from the object's
                          file, because tools find the file by this block.  */
  bool spare;          /* The block must stay mapped from the object's file if
                          all other text of the object is copied, because
                          tools find the file by any of its text.  */
  bool cold;           /* The blocks are too rarely executed to be worth a
                          copy (hugetext_is_cold).  */
  bool little;         /* Compared with the text on huge pages that use no
                          memory, the blocks have too little text to be worth a
                          copy (hugetext_is_little).  */
  hugetext_ask *ask;
  void *closure;
};

/* Each of these functions returns true if CHOICE has one property: CHOICE
   allows huge pages of the object's own file (may_use_file); it allows images
   in the store (may_use_store); it allows copies (may_copy); it demands that
   copies come from the hugetlb pool (takes_pool).  */
extern bool
hugetext_may_use_file (enum hugetext_choice choice) attribute_hidden;
extern bool
hugetext_may_use_store (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_may_copy (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_takes_pool (enum hugetext_choice choice) attribute_hidden;

/* Return true if, under CHOICE, the loader copies a block only if the block
   has enough text compared with the text on huge pages that use no memory.  */
extern bool
hugetext_weighs_copies (enum hugetext_choice choice) attribute_hidden;

/* Return which objects keep the name of their file when their blocks become
   copies.  CHOICE and NAMES are settings.  */
extern enum hugetext_naming
hugetext_keeps_names (enum hugetext_choice choice,
                      uint64_t names) attribute_hidden;

/* Return true if the loader chooses the places of objects in such a way that
   they can keep the name of their file.  CHOICE and NAMES are settings.  If
   CHOICE allows the store, the loader always chooses places at which objects
   can keep their names, because images are made for these places.  */
extern bool hugetext_places_names (enum hugetext_choice choice,
                                   uint64_t names) attribute_hidden;

/* Return true if the loader leaves all objects on small pages when transparent
   huge pages are off.  CHOICE is the user's choice of backings; IMAGES is true
   if the store has images.  The result is true if CHOICE is auto and there are
   no images, because in this case copies are the only possible backing of most
   files.  With any other choice than auto, the loader tries each block, so
   that it can report a result for each block.  */
extern bool hugetext_needs_thp (enum hugetext_choice choice,
                                bool images) attribute_hidden;

/* Return true if the blocks of WISH, judged by WISH alone, need no memory of
   their process, because the page cache may hold huge pages of the object's
   file or of its image for them.  Two blocks of one object may give different
   results.  */
extern bool
hugetext_is_free (const struct hugetext_wish *wish) attribute_hidden;

/* Return true if the backing WAY may be tried for blocks of WISH.  If the
   backing WAY may not be tried, set WHY to the reason.  If the user's choice
   excludes WAY, or if another backing suffices, set WHY to HUGETEXT_MADE.  If
   several backings fail, the loader reports the reason of the last one.
   Later backings have fewer requirements for the file and the machine, so the
   last reason says what is really missing.  Before calling this function for
   copies, make all blocks huge that need no copy, because the answer for
   copies takes more system calls.  */
extern bool hugetext_may_try (const struct hugetext_wish *wish,
                              enum hugetext_way way,
                              enum hugetext_reason *why) attribute_hidden;

/* A block may have several obstacles to a huge page.  The reason of the block
   is the first of the following:

     1. the block's text and its place (hugetext_block_judge);
     2. no source of huge pages suits the block (hugetext_may_try), as far as
        this is known without asking the page cache again;
     3. the cap: better blocks have used it up (hugetext_ranking_take);
     4. the kernel's answer when the loader tries the backings.

   So a block that cannot get a huge page takes no place within the cap from
   another block.  Whether the page cache holds a block in a huge page is
   known only after the loader has asked, which may read the block from the
   disk.  Therefore the loader asks only about as many blocks as may have
   places within the cap.  Any other block has the cap as its reason, even if
   the page cache holds the block as a huge page.

   Return true if the loader may ask the page cache about one more block.
   PLACES is the number of further huge blocks that the cap allows.  Of the
   blocks that the loader has asked about, HUGE were huge, and SMALL were
   small.  A block that the page cache holds in small pages leaves its place
   within the cap to a later block.  */
static inline bool
hugetext_asks_cache (size_t places, size_t huge, size_t small)
{
  return huge < places && small < places;
}

/* Return true if any block of WISH's object may be a copy.  Call this
   function before the object is placed, and leave the members of WISH about
   blocks false.  The result is the same as that of hugetext_may_try for the
   object's blocks, so that no object is placed for copies that the loader will
   refuse.  */
extern bool
hugetext_may_copy_object (const struct hugetext_wish *wish) attribute_hidden;

#endif /* dl-hugetext-ways.h */
