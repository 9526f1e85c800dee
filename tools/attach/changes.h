/* The record of what "hugetext attach" has replaced in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record is a page in the process itself, whose address is in the slack of
   the vDSO (trampoline.h).  So a forked child inherits the record together
   with the blocks, and a process that executes another program loses both.
   --undo restores only the blocks in the record.  A block is noted before it
   is replaced, so a noted block may be unchanged.  */

#ifndef CHANGES_H
#define CHANGES_H

#include "dl-hugetext-plan.h"
#include "host/procmaps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The contents of a hole, the part of a block beside the object's
   segments.  */
enum changes_hole
{
  HOLE_FREE,     /* There is no mapping.  */
  HOLE_RESERVED, /* It is reserved address space.  */
  HOLE_FILE,     /* It maps the object's file without access.  */
};

enum
{
  CHANGES_MAX = 500,
};

struct changes
{
  uintptr_t words; /* The address of the words in the vDSO's slack that hold
                      the page's address.  */
  uintptr_t page;  /* Address of the page, 0 if there is none.  */
  size_t count;
  uint64_t list[CHANGES_MAX]; /* Addresses of blocks, with the state of their
                                   holes before.  */
};

/* Return the record's size in memory, in bytes.  */
extern size_t changes_size (void);

/* Read the record of the process whose /proc/PID/mem is MEMORY, and whose
   words are at SLACK (trampoline_words), into RECORD, which has no page if
   there is none.  False if SLACK is 0.  */
extern bool changes_read (struct changes *record, uintptr_t slack, int memory);

/* Read the record of process PID while the process runs.  */
extern bool changes_look (struct changes *record, pid_t pid);

/* Let the inspector read the record.  */
extern bool changes_ask (struct changes *record, pid_t pid);

/* Make the page at PAGE, which is empty, the record; 0 removes the record.  */
extern bool changes_place (struct changes *record, int memory, uintptr_t page);

/* Return the index of the block at START in RECORD, -1 if it is not there.  */
extern ssize_t changes_find (const struct changes *record, uintptr_t start);

/* The places of a block's holes: before, between and after the segments.  */
enum changes_place
{
  PLACE_BEFORE,
  PLACE_BETWEEN,
  PLACE_BEHIND,
  PLACES,
};

/* Return the former state of the hole at PLACE of block I.  */
extern enum changes_hole changes_hole (const struct changes *record, size_t i,
                                       enum changes_place place);

/* Set HOLES to the present state, by MAPS, of the holes of the object ELF's
   block at START.  */
extern void changes_look_at_holes (const struct procmaps *maps,
                                   const struct hugetext_object *elf,
                                   uintptr_t start,
                                   enum changes_hole holes[PLACES]);

/* Note the block at START, whose holes have the states HOLES, in RECORD alone.
   False if there is no room.  */
extern bool changes_add (struct changes *record, uintptr_t start,
                         const enum changes_hole holes[PLACES]);

/* Write RECORD to the process's memory.  */
extern bool changes_write (const struct changes *record, int memory);

/* Remove block I.  */
extern bool changes_remove (struct changes *record, int memory, size_t i);

#endif
