/* The record of what "hugetext attach" has replaced in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record is a page of the changed process.  The slack of the vDSO has the
   page's address (trampoline.h).  So a forked child inherits the record
   together with the blocks, and a process that executes another program loses
   both.  --undo restores only the blocks in the record.  The command records a
   block before it replaces the block, so a recorded block may be
   unchanged.  */

#ifndef CHANGES_H
#define CHANGES_H

#include "dl-hugetext-plan.h"
#include "host/procmaps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The contents of a hole, a part of a block that is outside of the object's
   segments.  */
enum changes_hole
{
  HOLE_FREE,     /* The hole is not mapped.  */
  HOLE_RESERVED, /* The hole is reserved address space.  */
  HOLE_FILE,     /* The hole maps the object's file without access.  */
};

enum
{
  CHANGES_MAX = 500,
};

struct changes
{
  uintptr_t words; /* The address of the words in the vDSO's slack that hold
                      the page's address.  */
  uintptr_t page;  /* The address of the record's page; 0 if the process has no
                      record.  */
  size_t count;
  uint64_t list[CHANGES_MAX]; /* The addresses of blocks, with the former
                                 states of their holes, and whether the
                                 command has switched huge pages off.  */
};

/* Return the record's size in memory, in bytes.  */
extern size_t changes_size (void);

/* Read the record of the process whose /proc/PID/mem is MEMORY, and whose
   words are at SLACK (trampoline_words), into RECORD, with PAGE 0 if the
   process has no record.  False if SLACK is 0.  */
extern bool changes_read (struct changes *record, uintptr_t slack, int memory);

/* Read the record of process PID while the process runs.  */
extern bool changes_look (struct changes *record, pid_t pid);

/* Let the inspector read the record.  */
extern bool changes_ask (struct changes *record, pid_t pid);

/* Use the empty page at PAGE as the process's record; 0 removes the
   record.  */
extern bool changes_place (struct changes *record, int memory, uintptr_t page);

/* Return the index of the block at START in RECORD, -1 if RECORD does not have
   the block.  */
extern ssize_t changes_find (const struct changes *record, uintptr_t start);

/* The places of a block's holes: before, between and after the segments.  */
enum changes_place
{
  PLACE_BEFORE,
  PLACE_BETWEEN,
  PLACE_BEHIND,
  PLACES,
};

/* Record, not in the process's memory, that the command has switched huge
   pages off for block I, which is on its own file's pages.  */
extern void changes_note_split (struct changes *record, size_t i);

/* Whether the command has switched huge pages off for block I.  */
extern bool changes_is_split (const struct changes *record, size_t i);

/* Return the former state of the hole at PLACE of block I.  */
extern enum changes_hole changes_hole (const struct changes *record, size_t i,
                                       enum changes_place place);

/* Set HOLES to the present state, by MAPS, of the holes of the object ELF's
   block at START.  */
extern void changes_look_at_holes (const struct procmaps *maps,
                                   const struct hugetext_object *elf,
                                   uintptr_t start,
                                   enum changes_hole holes[PLACES]);

/* Add the block at START, whose holes have the states HOLES, to RECORD, but
   not to the process's memory.  False if RECORD is full.  */
extern bool changes_add (struct changes *record, uintptr_t start,
                         const enum changes_hole holes[PLACES]);

/* Write RECORD to the process's memory.  */
extern bool changes_write (const struct changes *record, int memory);

/* Remove block I from RECORD and from the process's memory.  */
extern bool changes_remove (struct changes *record, int memory, size_t i);

#endif
