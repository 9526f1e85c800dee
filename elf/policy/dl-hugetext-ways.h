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
  HUGETEXT_IS_TRACED,       /* A debugger may trace the process, and may have
                               set breakpoints in its text.  */
  HUGETEXT_IS_READABLE,     /* The process can read the object's file.  */
  HUGETEXT_LOOKS_FOR_PATH,  /* The object may look for its own path in
                               /proc/self/maps, where copies have no path, and
                               the user's settings do not allow copies of such
                               objects.  */
  HUGETEXT_HAS_IMAGE,       /* The store has an image of the object.  */
  HUGETEXT_MAY_COLLAPSE,    /* The administrator has not switched off
                               transparent huge pages.  */
  HUGETEXT_MAY_ANONYMOUS,   /* The kernel lets the process make anonymous
                               memory executable after writing to it.  */
  HUGETEXT_MAY_MEMORY_FILE, /* The kernel lets the process make a memfd and
                               map it executable.  */
  /* The following facts depend on the object's placement, which
     hugetext_choose is evaluating:  */
  HUGETEXT_HAS_FILE_BLOCK,  /* The page cache holds one of the first blocks of
                               the object as a huge page, or the kernel can
                               make such a block huge in the page cache.  */
  HUGETEXT_HAS_FILE_BLOCKS, /* All blocks, except cold blocks, are now cached
                               as huge pages.  */
  HUGETEXT_HAS_ROOM /* The process can probably get one more copy, because the
                       cap, the memory, the limits and the settings of the
                       process allow one.  (The kernel may still refuse the
                       copy.)  */
};

/* A function of the policy's caller that returns whether FACT is true.
   CLOSURE is the caller's data.  */
typedef bool hugetext_ask (void *closure, enum hugetext_fact fact);

/* Blocks of one object that can have the same backings (sources of huge
   pages), and the facts from which the policy decides which backings the
   loader may try.  */
struct hugetext_wish
{
  enum hugetext_choice choice;
  bool images;         /* True if the index has records of images.  */
  bool congruent;      /* The run-time addresses of the blocks are congruent
                          to their file offsets, so the blocks can be huge
                          pages of the object's own file.  */
  bool file_ruled_out; /* The loader knows that the page cache has no huge
                          pages of the file for these blocks.  */
  bool unstored;       /* The loader knows that no image in the store contains
                          these blocks.  (An image may lack some blocks of its
                          object.)  */
  bool name;           /* One of these blocks must stay mapped from the
                          object's file, so that tools find the name of the
                          file in /proc/PID/maps.  */
  bool spare;          /* This block must stay mapped from the object's file if
                          all other text of the object is copied.  Tools find
                          the name of the file in /proc/PID/maps as long as any
                          text is mapped from the file.  */
  bool cold;           /* The blocks are too rarely executed to be worth a
                          copy (hugetext_is_cold).  */
  bool little;         /* The blocks have too little text to be worth a copy,
                          because the process already has much text on huge
                          pages of files and images, which use no memory of the
                          process (hugetext_is_little).  */
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

/* Return true if, with CHOICE, the loader does not copy blocks with too little
   text (the member LITTLE of struct hugetext_wish).  */
extern bool
hugetext_weighs_copies (enum hugetext_choice choice) attribute_hidden;

/* Return which objects keep the name of their file in /proc/PID/maps when
   their blocks become copies, as a value of enum hugetext_naming.  CHOICE and
   NAMES are settings.  */
extern enum hugetext_naming
hugetext_keeps_names (enum hugetext_choice choice,
                      uint64_t names) attribute_hidden;

/* Return which objects keep their text visible to unwinders
   (hugetext_shows_text) when their blocks become huge pages of their files.
   CHOICE and NAMES are settings.  */
extern enum hugetext_naming
hugetext_names_in_file (enum hugetext_choice choice,
                        uint64_t names) attribute_hidden;

/* Return true if the loader chooses the addresses of objects so that the
   objects can keep the name of their file in /proc/PID/maps.  CHOICE and NAMES
   are settings.  If CHOICE allows images in the store, the result is true
   regardless of NAMES, because the command makes images for addresses at which
   objects can keep their names.  */
extern bool hugetext_places_names (enum hugetext_choice choice,
                                   uint64_t names) attribute_hidden;

/* Return true if the loader leaves all objects on small pages when transparent
   huge pages are off.  CHOICE is the user's choice of backings; IMAGES is true
   if the store has images.  If CHOICE is auto and there are no images, the
   result is true: most text could then only be copied, and copies need
   transparent huge pages.  With any other choice than auto, the loader tries
   each block, so that it can report a result for each block.  */
extern bool hugetext_needs_thp (enum hugetext_choice choice,
                                bool images) attribute_hidden;

/* Return true if the blocks that WISH describes may become huge without memory
   of their process, as huge pages of the object's file or of its image.  The
   function examines only the members of WISH, and asks the caller for no
   facts.  */
extern bool
hugetext_is_free (const struct hugetext_wish *wish) attribute_hidden;

/* Return true if the loader may try the backing WAY for the blocks that WISH
   describes.  If the loader may not try WAY, set WHY to the reason.  A WHY of
   HUGETEXT_MADE means that there is nothing to report, because the user's
   choice excludes WAY, or because another backing suffices.  If several
   backings fail, the loader reports the reason of the last one.  Later
   backings demand less of the file and of the machine, so the last reason
   names the real obstacle.  Before calling this function for copies, make all
   blocks huge that need no copy, because the answer for copies takes more
   system calls.  */
extern bool hugetext_may_try (const struct hugetext_wish *wish,
                              enum hugetext_way way,
                              enum hugetext_reason *why) attribute_hidden;

/* A block may have several obstacles to a huge page.  The reason of the block
   is the first of the following:

     1. the policy refuses the block because of the block's text or address
        (hugetext_block_judge);
     2. no backing is possible for the block (hugetext_may_try), as far as the
        loader knows without asking the page cache again;
     3. better blocks have used up the cap (hugetext_ranking_take);
     4. the kernel refuses a huge page when the loader tries the backings.

   Because the cap comes after the policy and the backings, a block that cannot
   get a huge page does not count towards the cap.  The loader learns whether
   the page cache holds a block in a huge page only by an access that may read
   the block from the disk.  Therefore the loader asks the page cache about few
   more blocks than the cap allows.  For a block about which the loader has not
   asked, the loader reports the cap as the reason, even if the page cache
   holds the block as a huge page.

   Return true if the loader may ask the page cache about one more block.
   PLACES is the number of further huge blocks that the cap allows.  Of the
   blocks that the loader has asked about, HUGE were huge, and SMALL were
   small.  If the page cache holds a block in small pages, a later block may
   become huge instead.  */
static inline bool
hugetext_asks_cache (size_t places, size_t huge, size_t small)
{
  return huge < places && small < places;
}

/* Return true if any block of WISH's object may be a copy.  Call this function
   before the loader chooses the object's address.  The members of WISH that
   describe blocks (from CONGRUENT to LITTLE) must be false.  The function
   applies the same rules as hugetext_may_try applies later to the object's
   blocks.  So if hugetext_may_try will refuse all copies, the loader does not
   choose an address that is good only for copies.  */
extern bool
hugetext_may_copy_object (const struct hugetext_wish *wish) attribute_hidden;

#endif /* dl-hugetext-ways.h */
