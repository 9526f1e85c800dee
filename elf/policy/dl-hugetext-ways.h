/* Policy of ld-hugetext: which backings may blocks have?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy makes no system call.  If a system call is needed to find out a
   fact, the policy asks its caller for the fact, and only if the fact affects
   the result.  */

#ifndef _DL_HUGETEXT_WAYS_H
#define _DL_HUGETEXT_WAYS_H 1

#include "dl-hugetext-names.h"

/* The facts for which the policy asks its caller, because they may take
   system calls.  */
enum hugetext_fact
{
  HUGETEXT_IS_TRACED,       /* A debugger may trace the process.  */
  HUGETEXT_IS_READABLE,     /* The object's file can be read.  */
  HUGETEXT_LOOKS_FOR_PATH,  /* The object may look for its own path in
                               /proc/self/maps, where copies have no path, and
                               the settings do not allow copies of such
                               objects.  */
  HUGETEXT_HAS_IMAGE,       /* The store has an image of the object.  */
  HUGETEXT_MAY_COLLAPSE,    /* The administrator has not switched off
                               transparent huge pages.  */
  HUGETEXT_MAY_ANONYMOUS,   /* The kernel lets the process make anonymous
                               memory executable after writing to it.  */
  HUGETEXT_MAY_MEMORY_FILE, /* The kernel lets the process make a memfd and
                               map it executable.  */
  /* The following facts are about the object at the place that
     hugetext_choose is evaluating:  */
  HUGETEXT_HAS_FILE_BLOCK, /* The first block that the caller examines is, or
                              can be, cached as a huge page.  */
  HUGETEXT_HAS_FILE_BLOCKS /* All blocks, except cold blocks, are now cached as
                              huge pages.  */
};

/* The caller's function that returns whether FACT holds.  CLOSURE is the
   caller's data.  */
typedef bool hugetext_ask (void *closure, enum hugetext_fact fact);

/* Blocks for which the same backings are possible, and what is known about
   them.  */
struct hugetext_wish
{
  enum hugetext_choice choice;
  bool images;         /* The index has records of images.  */
  bool congruent;      /* The run-time addresses of the blocks are congruent
                          to their file offsets, so the blocks can be huge
                          pages of the object's own file.  */
  bool file_ruled_out; /* The page cache is known to have no huge pages of the
                          file for the blocks.  */
  bool header;         /* The first block begins with an ELF header.  */
  bool name;           /* One of the blocks must not be a copy, because tools
                          identify the object's file by it.  */
  bool cold;           /* The profile of the object has no sample in these
                          blocks.  */
  hugetext_ask *ask;
  void *closure;
};

/* Whether CHOICE allows huge pages of the object's own file, images in the
   store, or copies; and whether copies must come from the hugetlb pool.  */
extern bool
hugetext_may_use_file (enum hugetext_choice choice) attribute_hidden;
extern bool
hugetext_may_use_store (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_may_copy (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_takes_pool (enum hugetext_choice choice) attribute_hidden;

/* Return which objects keep the name of their file when their blocks become
   copies.  CHOICE and NAMES are settings.  */
extern enum hugetext_naming
hugetext_keeps_names (enum hugetext_choice choice,
                      uint64_t names) attribute_hidden;

/* Whether the loader chooses the places of objects in such a way that they
   can keep the name of their file.  CHOICE and NAMES are settings.  If CHOICE
   allows the store, the loader always chooses such places, because images are
   made for these places.  */
extern bool hugetext_places_names (enum hugetext_choice choice,
                                   uint64_t names) attribute_hidden;

/* Whether no object can gain from huge pages under CHOICE while transparent
   huge pages are off.  IMAGES says whether the store has images.  No object
   can gain if the choice is auto and there are no images, because in this case
   copies are the only backing of most files.  If the user has chosen a
   backing, the loader tries it for each block nevertheless, so that each block
   has an outcome.  */
extern bool hugetext_needs_thp (enum hugetext_choice choice,
                                bool images) attribute_hidden;

/* Whether the backing WAY may be tried for blocks of WISH.  If not, set WHY
   to the reason, or to HUGETEXT_MADE if the user's choice excludes WAY or if
   another backing suffices.  If several backings fail, the loader reports the
   reason of the last one: later backings have fewer requirements for the file
   and the machine, so the last reason says what is really missing.  Call this
   function for copies only while blocks are still small, because the answer
   takes more system calls.  */
extern bool hugetext_may_try (const struct hugetext_wish *wish,
                              enum hugetext_way way,
                              enum hugetext_reason *why) attribute_hidden;

#endif /* dl-hugetext-ways.h */
