/* The record of the blocks that "hugetext attach" has replaced in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record of the replaced blocks is a page in the memory of the changed
   process.  The address of this page is stored in the unused bytes behind the
   vDSO (trampoline.h).  A forked child inherits both the replaced blocks and
   the record of them.  When a process executes another program, it loses both
   the replaced blocks and the record.  --undo restores only blocks in the
   record.  The command adds a block to the record before it replaces the
   block, so the record may contain a block that was not replaced.  */

#ifndef CHANGES_H
#define CHANGES_H

#include "dl-hugetext-plan.h"
#include "host/procmaps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The mapping in a hole (a part of a block outside of the object's segments)
   before attach replaced the block.  */
enum changes_hole
{
  HOLE_FREE,     /* The hole is not mapped.  */
  HOLE_RESERVED, /* The hole is reserved address space.  */
  HOLE_FILE,     /* The object's file is mapped in the hole, without access
                    rights.  */
};

enum
{
  CHANGES_MAX = 500,
};

struct changes
{
  uintptr_t words; /* The address of two words in the unused bytes behind the
                      vDSO, one of which contains the address of the record's
                      page.  */
  uintptr_t page;  /* The address of the page that contains the record of
                      replaced blocks, or 0 if the process has no record.  */
  size_t count;
  uint64_t list[CHANGES_MAX]; /* For each block, its address, the former states
                                 of its holes, and a bit that says whether the
                                 command has switched huge pages off for the
                                 block.  */
};

/* Return the record's size in memory, in bytes.  */
extern size_t changes_size (void);

/* Read the record of a process into RECORD.  MEMORY is the process's
   /proc/PID/mem, and SLACK the address of the words behind the process's vDSO
   (trampoline_words).  If the process has no record, set PAGE to 0.  If there
   are no unused bytes behind the vDSO, SLACK is 0, and the function returns
   false.  */
extern bool changes_read (struct changes *record, uintptr_t slack, int memory);

/* Read the record of process PID without stopping the process.  */
extern bool changes_look (struct changes *record, pid_t pid);

/* Let the inspector read the record of process PID, and set RECORD to the
   result.  */
extern bool changes_ask (struct changes *record, pid_t pid);

/* Write an empty record of replaced blocks to the page at the address PAGE,
   and make PAGE the process's record.  If PAGE is 0, the process has no record
   afterwards.  */
extern bool changes_place (struct changes *record, int memory, uintptr_t page);

/* Return the index in RECORD of the block at START, or -1 if RECORD does not
   have this block.  */
extern ssize_t changes_find (const struct changes *record, uintptr_t start);

/* The parts of a block that may be a hole: before, between and after the
   segments in the block.  */
enum changes_place
{
  PLACE_BEFORE,
  PLACE_BETWEEN,
  PLACE_BEHIND,
  PLACES,
};

/* Mark in RECORD that the command has switched huge pages off for block I.  Do
   not yet write RECORD to the process's memory (changes_write).  Block I is
   mapped from the object's own file.  */
extern void changes_note_split (struct changes *record, size_t i);

/* Return true if the command has switched huge pages off for block I of
   RECORD.  */
extern bool changes_is_split (const struct changes *record, size_t i);

/* Return the state that a hole of block I of RECORD had before the command
   replaced the block.  The hole is at PLACE: before, between or after the
   block's segments.  */
extern enum changes_hole changes_hole (const struct changes *record, size_t i,
                                       enum changes_place place);

/* Set HOLES[PLACE], for each place where the block at START may have a hole,
   to the state of this hole according to MAPS.  ELF describes the block's
   object.  */
extern void changes_look_at_holes (const struct procmaps *maps,
                                   const struct hugetext_object *elf,
                                   uintptr_t start,
                                   enum changes_hole holes[PLACES]);

/* Add the block at START to RECORD.  Do not yet write RECORD to the process's
   memory (changes_write).  HOLES contains the states of the block's holes
   (parts without a segment) before the command replaces the block.  Return
   false if RECORD is full.  */
extern bool changes_add (struct changes *record, uintptr_t start,
                         const enum changes_hole holes[PLACES]);

/* Write RECORD to the process's memory.  */
extern bool changes_write (const struct changes *record, int memory);

/* Remove block I from RECORD and from the process's memory.  */
extern bool changes_remove (struct changes *record, int memory, size_t i);

#endif
