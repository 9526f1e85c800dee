/* A list of files that a running program has opened and whose text had no huge
   pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Some programs open the same libraries again and again, and most files
   without huge pages in the page cache never get any.  Examining a file
   without huge pages at each dlopen would waste time.  So the loader remembers
   files whose text cannot be huge.  When the program opens a remembered file
   again, the loader usually places the object as it did last time, and does
   not examine the file.  After the first examination of a file, the loader
   skips the examination in the next dlopen.  After each further examination,
   the loader skips twice as many examinations as before, up to 64.  */

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
                        HUGETEXT_SMALL_BLOCKS + 1 if the object has more blocks
                        than the array REASON has elements.  The number of
                        blocks is 0 if the loader has not recorded reasons
                        yet.  */
  uint8_t reason[HUGETEXT_SMALL_BLOCKS]; /* The reason why each block of the
                                            object is small.  */
};

/* The number of files that the loader remembers.  */
#define HUGETEXT_SMALL_FILES 4

/* Return true if an object that a running program opens can get huge pages
   only from its file.  */
extern bool _dl_hugetext_has_file_only (const struct hugetext_state *state)
    attribute_hidden;

/* Add the file of RECORD's object to the list of files without huge pages.
   Note in the new entry the digest, start and length of the object, and the
   object's PLACEMENT.  If the list already has the file, renew its entry.  */
extern void _dl_hugetext_note_small (
    struct hugetext_state *state, const struct hugetext_record *record,
    const struct hugetext_placement *placement) attribute_hidden;

/* If the list of files without huge pages has the file of RECORD's object,
   note in its entry the REASON why the block at address BLOCK is small.  The
   caller passes the blocks in the order of their addresses.  */
extern void _dl_hugetext_note_small_block (
    struct hugetext_state *state, const struct hugetext_record *record,
    uintptr_t block, enum hugetext_reason reason) attribute_hidden;

/* The program opens the object L, whose file is in MAPPING.  Return the entry
   for this file in the list of files without huge pages.  Return NULL if the
   list does not have the file, or if the loader must examine the file
   again.  */
extern const struct hugetext_small_file *_dl_hugetext_find_small (
    struct hugetext_state *state, const struct link_map *l,
    const struct hugetext_mapping *mapping) attribute_hidden;

/* The list of files without huge pages may have the reason why each block of
   RECORD's object is small.  Copy the reasons from this list to the object's
   entry in the loader's record.  If the list does not have the reasons of all
   blocks, copy nothing and return false.  */
extern bool
_dl_hugetext_copy_reasons (struct hugetext_state *state,
                           struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-reopen.h */
