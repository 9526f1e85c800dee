/* A list of files that a running program has opened and whose text had no huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most files that have no huge pages when they are first opened never get any,
   and some programs open the same libraries again and again.  So the loader
   remembers files whose text cannot be huge.  When the program opens a
   remembered file again, the loader puts the object where it was placed last,
   and skips the steps that describe the object and try its file.  The loader
   skips these steps for one opening before it examines the file again, the
   next time for 2 openings, then for 4 and so on, at most for 64.  */

#ifndef _DL_HUGETEXT_REOPEN_H
#define _DL_HUGETEXT_REOPEN_H 1

#include "dl-hugetext-modules.h"
#include "dl-hugetext-placement.h"

struct hugetext_mapping;
struct hugetext_record;
struct hugetext_state;

/* The maximum number of blocks of an object for which the loader remembers why
   they are small.  */
#define HUGETEXT_SMALL_BLOCKS 16

/* An entry of the list: a file without huge pages.  */
struct hugetext_small_file
{
  struct hugetext_identity file;
  uint64_t digest; /* The digest of the object's program headers.  */
  uintptr_t start; /* The lowest link-time address of the object;
                      LENGTH is in bytes.  */
  size_t length;
  struct hugetext_placement placement; /* The address range at which the object
                                          was placed last.  */
  unsigned int wait; /* The number of times that the program opened the object
                        between the last two examinations.  */
  unsigned int left; /* The number of times that the program must open the
                        object before the loader examines its file again.  */
  uintptr_t first;   /* The address of the object's first block minus the load
                        bias.  */
  uint8_t nblocks;   /* The number of the object's blocks, or
                        HUGETEXT_SMALL_BLOCKS + 1 if there are more than fit in
                        REASON.  The number of blocks is 0 if the loader has
                        not recorded reasons yet.  */
  uint8_t reason[HUGETEXT_SMALL_BLOCKS]; /* The reason why each block of the
                                            object is small.  */
};

/* The number of files that the loader remembers.  */
#define HUGETEXT_SMALL_FILES 4

/* Return true if an object that a running program opens can get huge pages
   only from its file.  */
extern bool _dl_hugetext_has_file_only (const struct hugetext_state *state)
    attribute_hidden;

/* Note in STATE that the file of RECORD's object has no huge pages.  Also note
   STATE's description of the object, and the object's place, PLACEMENT.  */
extern void _dl_hugetext_note_small (
    struct hugetext_state *state, const struct hugetext_record *record,
    const struct hugetext_placement *placement) attribute_hidden;

/* If the file of RECORD's object is in the list, also note the REASON why
   the block at BLOCK is small.  The caller passes the blocks in the order of
   their addresses.  */
extern void _dl_hugetext_note_small_block (
    struct hugetext_state *state, const struct hugetext_record *record,
    uintptr_t block, enum hugetext_reason reason) attribute_hidden;

/* The program opens the file of MAPPING again, as the object L.  Return the
   loader's entry for the file.  Return NULL if the loader remembers nothing
   about the file, or must examine it again.  */
extern const struct hugetext_small_file *_dl_hugetext_find_small (
    struct hugetext_state *state, const struct link_map *l,
    const struct hugetext_mapping *mapping) attribute_hidden;

/* Record the reasons that the loader remembers for the blocks of RECORD's
   object.  If the loader does not remember the reasons of all these blocks,
   record nothing and return false.  */
extern bool
_dl_hugetext_copy_reasons (struct hugetext_state *state,
                           struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-reopen.h */
