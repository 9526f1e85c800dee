/* Policy of ld-hugetext: which backings blocks can have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The policy makes no system call.  It asks the caller for facts that take
   system calls, and only for those that decide.  */

#ifndef _DL_HUGETEXT_WAYS_H
#define _DL_HUGETEXT_WAYS_H 1

#include "dl-hugetext-names.h"

/* Facts that the caller may have to find out.  */
enum hugetext_fact
{
  HUGETEXT_IS_TRACED,       /* A debugger may trace the process.  */
  HUGETEXT_IS_READABLE,     /* The object's file can be read.  */
  HUGETEXT_HAS_IMAGE,       /* The store has an image of the object.  */
  HUGETEXT_MAY_COLLAPSE,    /* Transparent huge pages are not off.  */
  HUGETEXT_MAY_ANONYMOUS,   /* Anonymous memory that was written may become
                               executable.  */
  HUGETEXT_MAY_MEMORY_FILE, /* The process may make a memory file and map it
                               executable.  */
  /* Facts about the object at the place that hugetext_choose tries at the
     moment:  */
  HUGETEXT_HAS_FILE_BLOCK,  /* The first block looked at is cached in huge
                               pages, or can be.  */
  HUGETEXT_HAS_FILE_BLOCKS, /* All blocks that are worth it are cached in huge
                               pages by now.  */
  HUGETEXT_FACTS
};

/* Whether FACT holds: a function of the caller, with the caller's CLOSURE.  */
typedef bool hugetext_ask (void *closure, enum hugetext_fact fact);

/* A wish: blocks that can have the same backings, and what is known of
   them.  */
struct hugetext_wish
{
  enum hugetext_choice choice;
  bool images;         /* The index knows of images.  */
  bool congruent;      /* The addresses allow that the blocks are their file's
                          own pages.  */
  bool file_ruled_out; /* The file is known to have no huge pages for the
                          blocks.  */
  bool header;         /* The blocks begin with an ELF header.  */
  bool name;           /* Tools find the object by one of the blocks, and it
                          must not be a copy.  */
  bool cold;           /* The profile has no sample of the blocks.  */
  hugetext_ask *ask;
  void *closure;
};

/* Whether CHOICE allows huge pages of the object's own file, allows images of
   the store, allows copies, and takes them from the hugetlb pool.  */
extern bool
hugetext_may_use_file (enum hugetext_choice choice) attribute_hidden;
extern bool
hugetext_may_use_store (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_may_copy (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_takes_pool (enum hugetext_choice choice) attribute_hidden;

/* Return which objects keep their names if blocks are copied, by the setting
   NAMES.  */
extern enum hugetext_naming
hugetext_keeps_names (enum hugetext_choice choice,
                      uint64_t names) attribute_hidden;

/* Whether objects are placed so that they keep their names, by the setting
   NAMES.  Images are made for that place, so the loader looks for them
   there.  */
extern bool hugetext_places_names (enum hugetext_choice choice,
                                   uint64_t names) attribute_hidden;

/* Whether CHOICE gains nothing for any object where transparent huge pages are
   off, with IMAGES in the store or without: most files can then have copies
   only.  A choice that the user named is tried for each block all the same, so
   that each block gets its outcome.  */
extern bool hugetext_needs_thp (enum hugetext_choice choice,
                                bool images) attribute_hidden;

/* Whether blocks of WISH may be tried by WAY.  If not, set WHY to the reason,
   or to HUGETEXT_MADE if the choice rules WAY out, or another way will do.  Of
   the reasons of several ways the last one is told: a later way needs less of
   file and machine, so what is in its way is what is missing.  Whether copies
   are possible takes more system calls, so callers ask only where blocks are
   still missing.  */
extern bool hugetext_may_try (const struct hugetext_wish *wish,
                              enum hugetext_way way,
                              enum hugetext_reason *why) attribute_hidden;

#endif /* dl-hugetext-ways.h */
