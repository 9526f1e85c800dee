/* The record: what the loader has decided, and why.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The record is also compiled into the command, which reads it in
   /proc/PID/mem or in a core file.  A note of the loader, struct
   hugetext_record_note, says where a struct hugetext_root is, and the root
   points to the record.  The loader writes under its own lock; SEQUENCE is odd
   while it writes, and differs afterwards, so that a reader knows when to read
   again.  Numbers have fixed sizes, so that 64-bit programs of all builds
   agree.

   Whoever changes a struct here, or the numbers of an enumeration whose values
   are stored in one, raises HUGETEXT_RECORD_VERSION.  */

#ifndef _DL_HUGETEXT_RECORD_H
#define _DL_HUGETEXT_RECORD_H 1

#include <stdint.h>

#include "dl-hugetext-index.h"
#include "dl-hugetext-names.h"
#include "dl-hugetext-plan.h"

#define HUGETEXT_RECORD_VERSION 9

/* The name of the note.  Its descriptor:  */
#define HUGETEXT_RECORD_NOTE "ld-hugetext-record"
#define HUGETEXT_RECORD_NOTE_TYPE 1
struct hugetext_record_note
{
  int32_t version;
  int32_t root;   /* Distance of the root from this member.  */
  int32_t loader; /* Distance of the loader's ELF header.  */
};

/* The root of the record, which every process has.  */
struct hugetext_root
{
  struct hugetext_record_head *head; /* NULL if there is no record: huge
                                        text is off, or no object that was
                                        mapped could gain from it.  */
  uint8_t text, code;   /* 1 if text, and code made at run time, are to be
                           huge, or else 0.  */
  uint8_t no_gain;      /* An enum hugetext_answer: whether no object could
                           gain because transparent huge pages were off.  */
  uint8_t index_error;  /* The error (errno) with which the index could not be
                           opened, or 0;  */
  uint32_t image_error; /* the same for opening or mapping an image in the
                           store.  */
  /* The settings by enum hugetext_key, if huge text or code is on; the bits of
     the same enumeration say which of them come from tunables and which from
     the index.  */
  uint32_t from_tunable, from_index;
  uint64_t value[HUGETEXT_VALUES];
  const struct hugetext_advice *advice; /* The index's settings for the
                                           program, NULL if it has none.  */
};

/* The fate of a block: one byte.  An enum hugetext_verdict: the policy refused
   the block; an enum hugetext_outcome: the loader tried to make it; or one of
   these.  */
enum hugetext_fate
{
  HUGETEXT_FATE_NONE,      /* The block has no text, or the loader has not
                              looked at it.  */
  HUGETEXT_FATE_FILE = 64, /* The block is huge: a page of the object's
                              file,  */
  HUGETEXT_FATE_STORE,     /* of an image in the store,  */
  HUGETEXT_FATE_COPY       /* or a copy.  */
};

/* The answer to a question that may not have been asked yet.  */
enum hugetext_answer
{
  HUGETEXT_NOT_ASKED,
  HUGETEXT_NO,
  HUGETEXT_YES
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

/* The entry of an object with a block that might be huge; other objects have
   no entry.  An entry is the first member of a larger struct.  */
struct hugetext_entry
{
  uint64_t next;    /* Address of the next entry, or 0.  */
  uint64_t start;   /* Address of the object's first block.  */
  uint64_t bias;    /* The object's load bias.  */
  uint16_t first;   /* Index of the first of its blocks' bytes in FATE; the
                       blocks follow START without a gap.  */
  uint16_t nblocks; /* The number of its blocks.  */
  uint8_t circumstances;
  uint8_t populated;  /* 0: the loader has not looked at its blocks, or the
                         object is gone.  */
  uint8_t unrecorded; /* The record had no room for its blocks.  */
  uint8_t placed;     /* The loader has chosen the object's place and what lies
                         around it.  */
};

/* The number of blocks for which the record has room: 1 GiB of text.  */
#define HUGETEXT_RECORD_BLOCKS 512

/* The head of the record.  */
struct hugetext_record_head
{
  uint32_t sequence;
  uint32_t block;   /* Bytes of a block.  */
  uint64_t entries; /* Address of the first entry, or 0.  */
  uint64_t nfates;  /* The number of bytes of FATE in use.  */
  uint8_t fate[HUGETEXT_RECORD_BLOCKS];
};

#endif /* dl-hugetext-record.h */
