/* The state that the loader keeps between the hooks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_STATE_H
#define _DL_HUGETEXT_STATE_H 1

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-ledger.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-record.h"
#include "dl-hugetext-source.h"

/* The loader's record of an object.  Only an object with a block that might be
   huge has one.  */
struct hugetext_record
{
  struct hugetext_entry entry; /* The part that other processes may read.  */
  struct link_map *map;        /* NULL: the program, before it has one.  */
  struct hugetext_file_name file;
  uint64_t digest;       /* Digest of the object's description when it was
                            placed.  */
  ElfW (Addr) low, high; /* Reserved address range, slack included;
                            both 0 if nothing was reserved.  */
  struct hugetext_charge charge;
  uint32_t heat;       /* The number of its heat in the attempt's heats.  */
  bool file_ruled_out; /* The file is not cached in huge pages, or the object's
                          place does not fit them.  */
  bool used;           /* The record is not free.  */
  bool lost;           /* The kernel has lost a part of the text, and the
                          program may have mapped something else there.  */
};

/* The number of records in the state itself.  Few programs need more.  */
#define HUGETEXT_RECORDS 8

/* The state of the loader between the hooks: records, ledger and lessons about
   the machine.  The state is one mapping, made when the first object is mapped
   and huge text is on, so that no other program pays for it.  The loader's
   lock guards the state, as it guards the link maps.  */
struct hugetext_state
{
  /* The description of the object at hand, and its image's record.  The
     description is too large for the stack: threads that open libraries may
     have little of it (PTHREAD_STACK_MIN is 16 KiB), and glibc needs most of
     that.  */
  struct hugetext_object object;
  struct hugetext_index_image image;
  struct hugetext_record_head head;
  struct hugetext_settings set;
  struct hugetext_ledger ledger;
  struct hugetext_lessons lessons;
  struct hugetext_attempt attempt;
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_record *unused;  /* The records that have not been used yet,
                                    */
  size_t nunused;                  /* and their number.  */
  uintptr_t last_low;              /* The lowest address of the last object
                                      that was reserved, first the state's.  */
  struct hugetext_heats *heats;    /* The heats of new objects, NULL if none
                                      are known.  */
  struct hugetext_ranking ranking; /* Scratch.  */
  /* The members so far fit in two pages, without the ranking's part for heat:
     each page that a start touches costs it a microsecond.  Few starts touch
     the members that follow.  */
  struct hugetext_scratch scratch;
};

/* The manual states this size: the program loses as many bytes of
   RLIMIT_DATA.  */
_Static_assert(sizeof (struct hugetext_state) <= 16384, "four small pages");

/* Return the state, and make it if there is none yet.  NULL if there is no
   memory for it, or if no object can gain from it.  Callers call it only when
   huge text is on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* Return the state if there is one already.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Whether no object can gain because transparent huge pages are off.  */
extern bool _dl_hugetext_no_gain (void) attribute_hidden;

/* Return the record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state,
                   const struct link_map *l) attribute_hidden;

/* Return a new record for L, NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state,
                       struct link_map *l) attribute_hidden;

/* Make SEQUENCE odd before the head or an entry changes, and even after
   that.  */
extern void
_dl_hugetext_change_record (struct hugetext_state *state) attribute_hidden;

/* Reserve bytes in the head for the fates of the blocks of RECORD's object,
   which STATE describes.  There are none if the head has no room.  */
extern void
_dl_hugetext_open_record (struct hugetext_state *state,
                          struct hugetext_record *record) attribute_hidden;

/* Record FATE of the block at START of RECORD's object, if there is room for
   it.  */
static inline void
_dl_hugetext_note_fate (struct hugetext_state *state,
                        const struct hugetext_record *record, uintptr_t start,
                        unsigned int fate)
{
  const struct hugetext_entry *entry = &record->entry;
  size_t i = (start - entry->start) / state->head.block;
  if (i < entry->nblocks)
    state->head.fate[entry->first + i] = fate;
}

/* Free RECORD, and return its charge to the ledger.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
