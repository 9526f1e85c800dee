/* Policy of ld-hugetext: which backings blocks can have, and which of them
   comes first.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Pure.  What has to be found out, by system calls mostly, is asked of the
   caller, and only where it decides.  */

#ifndef _DL_HUGETEXT_CHAIN_H
#define _DL_HUGETEXT_CHAIN_H 1

#include "dl-hugetext-names.h"

/* Facts that the caller may have to find out.  */
enum hugetext_fact
{
  HUGETEXT_IS_TRACED,       /* A debugger may be at the process.  */
  HUGETEXT_IS_READABLE,     /* The object's file is.  */
  HUGETEXT_HAS_IMAGE,       /* The store has one of the object.  */
  HUGETEXT_MAY_COLLAPSE,    /* Transparent huge pages are not off.  */
  HUGETEXT_MAY_ANONYMOUS,   /* Anonymous memory that was written may
                               become executable.  */
  HUGETEXT_MAY_MEMORY_FILE, /* A memory file may be made, and mapped
                               executable.  */
  /* Of the object where hugetext_choose has put it for the moment:  */
  HUGETEXT_HAS_FILE_BLOCK,  /* Its file is cached in huge pages, or can be,
                               as far as one block tells.  */
  HUGETEXT_HAS_FILE_BLOCKS, /* So are all that are worth it, by now.  */
  HUGETEXT_FACTS
};

/* The caller's answer: whether FACT is so.  */
typedef bool hugetext_ask (void *closure, enum hugetext_fact fact);

/* Blocks that can have the same backings.  */
struct hugetext_wish
{
  enum hugetext_choice choice;
  bool images;         /* The index knows of images.  */
  bool congruent;      /* They can be their file's own, as far as
                          addresses go.  */
  bool file_ruled_out; /* It is known that the file has no huge pages
                          for them.  */
  bool header;         /* They begin with an ELF header.  */
  bool cold;           /* Their profile has not seen them executed.  */
  hugetext_ask *ask;
  void *closure;
};

/* Most backings that blocks can have one after the other.  */
#define HUGETEXT_CHAIN_MAX 2

struct hugetext_chain
{
  size_t n;
  enum hugetext_way way[HUGETEXT_CHAIN_MAX]; /* Best first.  */
  enum hugetext_outcome why; /* If there are none: what is to be said of the
                                blocks, HUGETEXT_MADE if no more than has
                                been said.  */
};

/* Whether CHOICE allows the files' own huge pages and images of the store, and
   whether its copies are of the hugetlb pool.  */
extern bool
hugetext_may_use_file (enum hugetext_choice choice) attribute_hidden;
extern bool
hugetext_may_use_store (enum hugetext_choice choice) attribute_hidden;
extern bool hugetext_takes_pool (enum hugetext_choice choice) attribute_hidden;

/* Whether no object gains anything by CHOICE where transparent huge pages are
   off and there are IMAGES or not: copies are all that most files can have
   without a store.  A choice of the user's gets its answer for each block.  */
extern bool hugetext_needs_thp (enum hugetext_choice choice,
                                bool images) attribute_hidden;

/* The backings of WISH's blocks that are shared: what is shared comes before
   what takes memory.  */
extern struct hugetext_chain
hugetext_chain_of_shared (const struct hugetext_wish *wish) attribute_hidden;

/* The backings that make copies.  They cost more to find out, so only where
   some blocks are missing.  */
extern struct hugetext_chain
hugetext_chain_of_copies (const struct hugetext_wish *wish) attribute_hidden;

/* Whether CHAIN has WAY.  */
extern bool hugetext_chain_has (const struct hugetext_chain *chain,
                                enum hugetext_way way) attribute_hidden;

#endif /* dl-hugetext-chain.h */
