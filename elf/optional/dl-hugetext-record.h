/* The record: what the loader has decided, and why.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record is also compiled into the command, which reads it in
   /proc/PID/mem or in a core file.  A note of the loader, struct
   hugetext_record_note, says where a struct hugetext_root
   (dl-hugetext-names.h) is, and the root points to the record.  The loader
   writes under its own lock; SEQUENCE is odd while it writes, and differs
   afterwards, so that a reader knows when to read again.  Numbers have fixed
   sizes, so that 64-bit programs of all builds agree.

   Whoever changes a struct here, or the numbers of an enumeration whose values
   are stored in one, raises HUGETEXT_RECORD_VERSION.  */

#ifndef _DL_HUGETEXT_RECORD_H
#define _DL_HUGETEXT_RECORD_H 1

#include <stdint.h>

#include "dl-hugetext-names.h"

/* The numbers of settings and of reasons are in it, since root and advice have
   a place for each setting, and reasons are numbers of reasons.  */
#define HUGETEXT_RECORD_VERSION \
  (17 << 24 | HUGETEXT_FINDINGS << 16 | HUGETEXT_VALUES << 8 | HUGETEXT_KEYS)

/* The name of the note.  Its descriptor:  */
#define HUGETEXT_RECORD_NOTE "ld-hugetext-record"
#define HUGETEXT_RECORD_NOTE_TYPE 1
struct hugetext_record_note
{
  int32_t version;
  int32_t root;   /* Distance of the root from this member.  */
  int32_t loader; /* Distance of the loader's ELF header.  */
};

/* The circumstances when an object was populated; bits.  */
enum hugetext_circumstance
{
  HUGETEXT_WAS_FILTERED = 1 << 0, /* System calls were filtered, or there were
                                     threads, and the answer decided.  */
  HUGETEXT_WAS_TRACED = 1 << 1,   /* A debugger traced the process.  */
  HUGETEXT_PRCTL_THP = 1 << 2,    /* PR_SET_THP_DISABLE was set.  */
  HUGETEXT_NO_SLACK = 1 << 3,     /* Address space was limited.  */
  HUGETEXT_WAS_CHANGED = 1 << 4 /* The program headers in memory differed from
                                   those in the file, and the loader has left
                                   the object alone.  */
};

/* The entry of an object with a block that might be huge, when the loader has
   looked at its blocks; other objects have no entry.  */
struct hugetext_entry
{
  uint64_t next;    /* Address of the next entry, or 0.  */
  uint64_t start;   /* Address of the object's first block.  */
  uint64_t bias;    /* The object's load bias.  */
  uint16_t first;   /* Index of the first of its blocks' bytes in REASON; the
                       blocks follow START without a gap.  */
  uint16_t nblocks; /* The number of its blocks.  */
  uint8_t circumstances;
  uint8_t unrecorded; /* The record had no room for some of its blocks.  */
  uint8_t placed;     /* The loader has chosen the object's place and what lies
                         around it.  */
};

/* The number of blocks for which the record has room: 1 GiB of text.  */
#define HUGETEXT_RECORD_BLOCKS 512

/* The head of the record.  */
struct hugetext_record_head
{
  uint32_t sequence;
  uint32_t block;    /* Bytes of a block.  */
  uint64_t entries;  /* Address of the first entry, or 0.  */
  uint64_t nreasons; /* The number of bytes of REASON in use: an enum
                      hugetext_reason each.  */
  uint8_t reason[HUGETEXT_RECORD_BLOCKS];
};

#endif /* dl-hugetext-record.h */
