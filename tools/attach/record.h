/* The record of what "hugetext attach" has replaced in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It lies in the process itself, so that children that are forked have it as
   well as the blocks, and no process keeps it that executes another program: a
   page, of which the slack of the vDSO has the address (trampoline.h).  --undo
   puts back what is in it, and nothing else.  A block is noted before it is
   replaced, so one that is noted may be as it was.  */

#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The contents of a block beside the object's segments.  */
enum record_hole
{
  HOLE_FREE,     /* Nothing, */
  HOLE_RESERVED, /* or reserved address space, */
  HOLE_FILE,     /* or the object's file, without access.  */
};

enum
{
  RECORD_BLOCKS = 500,
};

struct record
{
  uintptr_t words; /* Where its address is.  */
  uintptr_t page;  /* Its address, 0: there is none.  */
  size_t count;
  uint64_t list[RECORD_BLOCKS]; /* Addresses, and how their holes were.  */
};

/* Bytes of it in memory.  */
extern size_t record_size (void);

/* Read the record of process PID, whose /proc/PID/mem is MEMORY, into RECORD:
   it has no page if there is none.  False if that cannot be, since it has no
   slack.  */
extern bool record_read (struct record *record, pid_t pid, int memory);

/* The same, as long as nothing is stopped.  */
extern bool record_look (struct record *record, pid_t pid);

/* Have the record be at PAGE, which is empty; 0: nowhere.  */
extern bool record_place (struct record *record, int memory, uintptr_t page);

/* Where the block at START is in RECORD, -1 if it is not.  */
extern ssize_t record_find (const struct record *record, uintptr_t start);

/* Holes of a block: in front of all segments, between them, behind them.  */
enum record_place
{
  PLACE_BEFORE,
  PLACE_BETWEEN,
  PLACE_BEHIND,
  PLACES,
};

/* How the hole at PLACE of block I was.  */
extern enum record_hole record_hole (const struct record *record, size_t i,
                                     enum record_place place);

/* Note the block at START, whose holes were HOLES.  False if there is no
   room.  */
extern bool record_add (struct record *record, int memory, uintptr_t start,
                        const enum record_hole holes[PLACES]);

/* Take block I away.  */
extern bool record_remove (struct record *record, int memory, size_t i);

#endif
