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

#define HUGETEXT_RECORD_VERSION 4

/* The name of the note.  Its descriptor:  */
#define HUGETEXT_RECORD_NOTE "ld-hugetext-record"
#define HUGETEXT_RECORD_NOTE_TYPE 1
struct hugetext_record_note
{
  int32_t version;
  int32_t root;     /* Distance of the root from this member.  */
  int32_t settings; /* Distance of the settings, which begin with a struct
                       hugetext_record_settings.  */
  int32_t loader;   /* Distance of the loader's ELF header.  */
};

/* The first settings, which are there even if huge text is off.  */
struct hugetext_record_settings
{
  uint8_t text, code;  /* 1 if text, and code made at run time, are to be
                          huge, or else 0.  */
  uint8_t index_error; /* The error (errno) with which the index could not be
                          opened, or 0.  */
};

/* The root of the record, which every process has.  */
struct hugetext_root
{
  struct hugetext_record_head *head; /* NULL if there is no record: huge
                                        text is off, or no object that was
                                        mapped could gain from it.  */
  uint32_t no_gain;     /* An enum hugetext_answer: whether no object could
                           gain because transparent huge pages were off.  */
  uint32_t image_error; /* The error (errno) with which an image in the store
                           could not be opened or mapped, or 0.  */
};

/* The fate of a block: one byte.  */
enum hugetext_fate
{
  HUGETEXT_FATE_NONE,          /* The block has no text, or the loader has not
                                  looked at it.  */
  HUGETEXT_FATE_VERDICT = 1,   /* With an enum hugetext_verdict added: the
                                  policy refused the block.  */
  HUGETEXT_FATE_OUTCOME = 32,  /* With an enum hugetext_outcome added: the
                                  loader tried the block.  */
  HUGETEXT_FATE_FILE = 64,     /* The block is huge: a page of the object's
                                  file,  */
  HUGETEXT_FATE_STORE,         /* of an image in the store,  */
  HUGETEXT_FATE_COPY,          /* or a copy.  */
  HUGETEXT_FATE_UNLOCKED = 128 /* Added if the block is huge, and the kernel
                                  refused to keep it in memory (mlock).  */
};

/* Abilities: system calls that mapping a library or malloc does not make, and
   that the process may make.  A seccomp filter may kill for such calls, and
   nothing tells what a filter allows, so that a process has none of these
   abilities under a filter.  It has none in a process with threads either:
   each thread may install a filter for all threads at any moment
   (SECCOMP_FILTER_FLAG_TSYNC).  */
enum hugetext_ability
{
  HUGETEXT_CAN_SCAN = 1 << 0,        /* PAGEMAP_SCAN ioctl (Linux 6.7).  */
  HUGETEXT_CAN_READ_MEMORY = 1 << 1, /* process_vm_readv.  */
  HUGETEXT_CAN_COUNT_READS = 1 << 2, /* getrusage.  */
  HUGETEXT_CAN_EVICT = 1 << 3,       /* fadvise64.  */
  HUGETEXT_CAN_MAKE_FILE = 1 << 4,   /* memfd_create, ftruncate.  */
  HUGETEXT_CAN_LOCK = 1 << 5,        /* mlock.  */
  HUGETEXT_CAN_TELL_KERNEL = 1 << 6, /* prctl.  */
  HUGETEXT_CAN_SYNC = 1 << 7,        /* fdatasync.  */
  HUGETEXT_UNFILTERED = (1 << 8) - 1,
  /* Abilities that need no such call, and that the kernel may refuse.  */
  HUGETEXT_CAN_ANONYMOUS_TEXT = 1 << 8, /* Memory that was writable may
                                           become executable.  */
  HUGETEXT_CAN_FILE_TEXT = 1 << 9,      /* A memory file may become
                                           executable.  */
  HUGETEXT_ABILITIES = (1 << 10) - 1
};

/* The answer to a question that may not have been asked yet.  */
enum hugetext_answer
{
  HUGETEXT_NOT_ASKED,
  HUGETEXT_NO,
  HUGETEXT_YES
};

/* The reason why the loader leaves all of an object alone.  */
enum hugetext_left
{
  HUGETEXT_NOT_LEFT,     /* The object is not left alone.  */
  HUGETEXT_LEFT_UNFIT,   /* hugetext_object_check says why.  */
  HUGETEXT_LEFT_TEXTREL, /* The object has text relocations.  */
  HUGETEXT_LEFT_CHANGED  /* The program headers in memory differ from those in
                            the file.  */
};

/* The circumstances when an object was populated; bits.  */
enum hugetext_circumstance
{
  HUGETEXT_AT_START = 1 << 0,       /* The program was being started.  */
  HUGETEXT_WHO_ASKED = 1 << 1,      /* The loader has found out the next
                                       two.  */
  HUGETEXT_WAS_TRACED = 1 << 2,     /* A debugger traced the process.  */
  HUGETEXT_PRCTL_THP = 1 << 3,      /* PR_SET_THP_DISABLE was set.  */
  HUGETEXT_SWITCHED_OFF = 1 << 4,   /* Transparent huge pages were switched
                                       off.  */
  HUGETEXT_NO_SLACK = 1 << 5,       /* Address space was limited.  */
  HUGETEXT_FILE_RULED_OUT = 1 << 6, /* The file had no huge pages for the
                                       object.  */
  HUGETEXT_WAS_LOST = 1 << 7
};

/* The entry of an object with a block that might be huge; other objects have
   no entry.  */
struct hugetext_entry
{
  uint64_t start;   /* Address of its first block.  */
  uint64_t bias;    /* Its load bias.  */
  uint16_t first;   /* Index of the first of its blocks' bytes in FATE; the
                       blocks follow START without a gap.  */
  uint16_t nblocks; /* The number of its blocks.  */
  uint16_t can;     /* Bits of enum hugetext_ability.  */
  uint8_t circumstances;
  uint8_t left;       /* An enum hugetext_left.  */
  uint8_t used;       /* 0: the entry is free.  */
  uint8_t populated;  /* 0: the loader has not looked at its blocks.  */
  uint8_t unrecorded; /* The record had no room for its blocks.  */
  uint8_t placed;     /* The loader has chosen the object's place and what lies
                         around it.  */
  uint8_t reserved[4];
};

/* The number of blocks for which the record has room: 1 GiB of text.  */
#define HUGETEXT_RECORD_BLOCKS 512

/* The head of the record.  Entries are in one array in the head, and in chunks
   elsewhere.  An entry is the first member of a larger struct.  */
struct hugetext_record_head
{
  uint32_t version; /* HUGETEXT_RECORD_VERSION.  */
  uint32_t size;    /* Size of this struct in bytes.  */
  uint32_t sequence;
  uint32_t block; /* Bytes of a block.  */

  /* The settings by enum hugetext_key; the bits of the same enumeration say
     which of them come from tunables and which from the index.  */
  uint64_t value[HUGETEXT_VALUES];
  uint32_t from_tunable, from_index;
  uint64_t memory; /* Address of a struct hugetext_memory, with the index's
                      strings; 0 if there is none.  */

  uint32_t entry_size;    /* Bytes from one entry to the next.  */
  uint16_t entries;       /* The number of entries in the record,  */
  uint16_t chunk_entries; /* and in each chunk.  */
  uint32_t entries_at;    /* Offset of the first entry in the record,  */
  uint32_t chunk_at;      /* and in each chunk, whose first word is the address
                             of the next chunk, or 0.  */
  uint64_t chunks;        /* Address of the first chunk.  */

  /* The ledger, when the last object was populated.  */
  uint64_t cap, copies_cap; /* The most blocks and the most copies; 0 if the
                               CPU was not asked.  */
  uint64_t room;            /* The number of copies for which there was memory,
                               UINT64_MAX if that was not asked.  */
  uint32_t blocks, copies;  /* In use.  */
  uint32_t code;            /* Blocks of code made at run time.  */
  uint32_t closed;          /* Objects that have been unmapped.  */
  uint16_t nfates;          /* The number of bytes of FATE in use.  */
  uint8_t fate[HUGETEXT_RECORD_BLOCKS];
  uint8_t reserved[6];
};

#endif /* dl-hugetext-record.h */
