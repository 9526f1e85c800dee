/* Policy of ld-hugetext: the choice of backings for blocks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy makes no system call.  The policy asks the caller for facts that
   take system calls, and only if a fact affects the result.  */

#ifndef _DL_HUGETEXT_WAYS_H
#define _DL_HUGETEXT_WAYS_H 1

#include "dl-hugetext-names.h"

/* Facts that the caller supplies, because they may take system calls.  */
enum hugetext_fact
{
  HUGETEXT_IS_TRACED,       /* A debugger may trace the process.  */
  HUGETEXT_IS_READABLE,     /* The object's file can be read.  */
  HUGETEXT_LOOKS_FOR_PATH,  /* The object may look for its own path in
                               /proc/self/maps, where a copy has none, and the
                               settings do not allow copies of such
                               objects.  */
  HUGETEXT_HAS_IMAGE,       /* The store has an image of the object.  */
  HUGETEXT_MAY_COLLAPSE,    /* Transparent huge pages are not switched off.  */
  HUGETEXT_MAY_ANONYMOUS,   /* The process may make anonymous memory executable
                               after writing to it.  */
  HUGETEXT_MAY_MEMORY_FILE, /* The process may make a memfd and map it
                               executable.  */
  /* Facts about the object at the place that hugetext_choose is
     evaluating:  */
  HUGETEXT_HAS_FILE_BLOCK, /* The first block examined is or can be cached as
                              a huge page.  */
  HUGETEXT_HAS_FILE_BLOCKS /* All blocks except cold ones are now cached as
                              huge pages.  */
};

/* A function of the caller that returns whether FACT holds, with its
   CLOSURE.  */
typedef bool hugetext_ask (void *closure, enum hugetext_fact fact);

/* Blocks that can have the same backings, and the known facts about them.  */
struct hugetext_wish
{
  enum hugetext_choice choice;
  bool images;         /* The index has records of images.  */
  bool congruent;      /* The addresses and file offsets of the blocks are
                          congruent, so that the blocks can be huge pages of
                          the object's own file.  */
  bool file_ruled_out; /* The file is known to have no huge pages for the
                          blocks.  */
  bool header;         /* The blocks begin with an ELF header.  */
  bool name;           /* Tools identify the object's file by one of the
                          blocks, so this block must not be a copy.  */
  bool cold;           /* The profile has no sample of the blocks.  */
  hugetext_ask *ask;
  void *closure;
};

/* Whether CHOICE allows huge pages of the object's own file, images of the
   store, or copies; and whether copies come from the hugetlb pool.  */
extern bool
hugetext_may_use_file (enum hugetext_choice choice) attribute_hidden;
extern bool
hugetext_may_use_store (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_may_copy (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_takes_pool (enum hugetext_choice choice) attribute_hidden;

/* Return which objects keep the name of their file when blocks are copied, by
   the setting NAMES.  */
extern enum hugetext_naming
hugetext_keeps_names (enum hugetext_choice choice,
                      uint64_t names) attribute_hidden;

/* Whether objects are placed so that they keep the name of their file, by the
   setting NAMES.  If CHOICE allows the store, objects are always placed so,
   because images are made for this place.  */
extern bool hugetext_places_names (enum hugetext_choice choice,
                                   uint64_t names) attribute_hidden;

/* Whether no object can gain under CHOICE while transparent huge pages are
   off.  IMAGES says whether the store has images.  The function is true for
   auto without images, because then most files can only have copies.  If the
   user has named a backing, the loader still tries it for each block, so that
   each block gets an outcome.  */
extern bool hugetext_needs_thp (enum hugetext_choice choice,
                                bool images) attribute_hidden;

/* Whether the backing WAY may be tried for blocks of WISH.  If WAY may not be
   tried, set WHY to the reason, or to HUGETEXT_MADE if the choice excludes WAY
   or another backing suffices.  If several backings fail, the loader reports
   the reason of the last one: a later backing needs less of the file and the
   machine, so its reason names what is missing.  Callers ask about copies only
   while blocks are missing, because the answer takes more system calls.  */
extern bool hugetext_may_try (const struct hugetext_wish *wish,
                              enum hugetext_way way,
                              enum hugetext_reason *why) attribute_hidden;

#endif /* dl-hugetext-ways.h */
