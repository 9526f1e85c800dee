/* The state that the loader keeps between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_STATE_H
#define _DL_HUGETEXT_STATE_H 1

#include "dl-hugetext-heat.h"
#include "dl-hugetext-ledger.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-record.h"
#include "dl-hugetext-source.h"

/* The loader's facts about an object: only objects with a candidate block have
   one.  A free slot has no MAP.  */
struct hugetext_record
{
  struct hugetext_entry entry; /* The part that other processes may read.  */
  struct link_map *map;
  struct hugetext_file_name file;
  uint64_t digest;       /* Of its description when it was placed.  */
  ElfW (Addr) low, high; /* Reserved address range, slack included;
                            both 0 if nothing was reserved.  */
  struct hugetext_charge charge;
  uint32_t heat;       /* Its number in the attempt's heats.  */
  bool file_ruled_out; /* Its file is not cached in huge pages, or
                          it was placed where they do not fit.  */
  bool lost;           /* A part of its text is gone, and what is
                          there now may be the program's.  */
};

/* Records that the state has room for.  Few programs need more.  */
#define HUGETEXT_RECORDS 8

/* The settings, the budget and what was learnt about the machine.  One
   mapping of its own, made when the first object is mapped and huge text is
   on, so that no other program pays for it.  Guarded by the loader's lock,
   like the link maps.  */
struct hugetext_state
{
  /* The object at hand, and its file's program headers, or its image's record
     later on.  Too large for the stack: threads that open libraries may have
     little of it (PTHREAD_STACK_MIN is 16 KiB), and glibc needs most of
     that.  */
  struct hugetext_object object;
  union
  {
    ElfW (Phdr) phdr[HUGETEXT_RECORD_MAX / sizeof (ElfW (Phdr))];
    union hugetext_index_buffer image;
  };
  struct hugetext_record_head head;
  struct hugetext_settings set;
  struct hugetext_ledger ledger;
  struct hugetext_lessons lessons;
  struct hugetext_attempt attempt;
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_heats *heats;    /* Of new objects, NULL if none are
                                      known.  */
  struct hugetext_ranking ranking; /* Scratch.  */
  /* All so far fits in two pages, but the ranking's part for heat: each page
     costs a start a microsecond.  This is seldom touched.  */
  union
  {
    struct hugetext_scratch scratch;
    ElfW (Phdr) phdrs[HUGETEXT_PHDRS_MAX]; /* If there are too many.  */
  };
};

/* The bytes of RLIMIT_DATA that a program loses, as the manual says.  */
_Static_assert(sizeof (struct hugetext_state) <= 16384, "four small pages");

/* Where others find the record.  */
extern struct hugetext_root _dl_hugetext_root attribute_hidden;

/* The state, made if there is none yet; NULL if there is no memory for it,
   or if no object can gain from it.  Only to be called when huge text is
   on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* The state if there is one already.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Whether no object can gain because transparent huge pages are off.  */
extern bool _dl_hugetext_no_gain (void) attribute_hidden;

/* The record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state,
                   const struct link_map *l) attribute_hidden;

/* A new record for L, NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state,
                       struct link_map *l) attribute_hidden;

/* Begin to change what the head has, or what RECORD has for others.  */
extern void
_dl_hugetext_change_record (struct hugetext_state *state) attribute_hidden;

/* Populating has ended; bring the head up to date.  */
extern void
_dl_hugetext_changed_record (struct hugetext_state *state) attribute_hidden;

/* Make room in the head for what becomes of the NBLOCKS blocks from START on
   of RECORD's object, and note what is so now.  Returns a byte for each, NULL
   if there is no room.  */
extern uint8_t *_dl_hugetext_open_record (struct hugetext_state *state,
                                          struct hugetext_record *record,
                                          uintptr_t start,
                                          size_t nblocks) attribute_hidden;

/* Forget RECORD; what it was charged returns to the budget.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
