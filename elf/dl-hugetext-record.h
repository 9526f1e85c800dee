/* The record that the loader leaves of what it decided, and why.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Also compiled into the command, which reads the record from outside: in
   /proc/PID/mem, or in a core file.  A note of the loader, below, says where a
   struct hugetext_root is, and that points to the record.  The loader writes
   under its own lock; SEQUENCE is odd meanwhile, and changes, so that a reader
   knows when to read again.

   Numbers have fixed sizes, so that 64-bit programs of all builds agree.
   A change of anything here, or of the numbers of the enumerations that go
   into it, changes HUGETEXT_RECORD_VERSION.  */

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
  int32_t root;     /* Of the root, from here.  */
  int32_t settings; /* The settings, likewise.  They begin with a
                       struct hugetext_record_settings.  */
  int32_t loader;   /* The loader's ELF header, likewise.  */
};

/* Always there, even if huge text is off.  */
struct hugetext_record_settings
{
  uint8_t text, code;  /* 1 if text, and code made at run time, are to be
                          huge, or else 0.  */
  uint8_t index_error; /* The error (errno) with which the index could not be
                          opened, or 0.  */
};

/* Always there.  */
struct hugetext_root
{
  struct hugetext_record_head *head; /* NULL if there is no record: huge
                                        text is off, or no object that was
                                        mapped could gain from it.  */
  uint32_t no_gain;     /* An enum hugetext_answer: none could, for
                           transparent huge pages were off.  */
  uint32_t image_error; /* The error (errno) with which an image in the store
                           could not be opened or mapped, or 0.  */
};

/* The fate of a block: one byte.  */
enum hugetext_fate
{
  HUGETEXT_FATE_NONE,          /* It has no text, or was not looked at.  */
  HUGETEXT_FATE_VERDICT = 1,   /* With an enum hugetext_verdict added: the
                                  policy was against it.  */
  HUGETEXT_FATE_OUTCOME = 32,  /* With an enum hugetext_outcome: it was
                                  tried.  */
  HUGETEXT_FATE_FILE = 64,     /* It was made: the file's own page,  */
  HUGETEXT_FATE_STORE,         /* that of an image in the store,  */
  HUGETEXT_FATE_COPY,          /* or a copy.  */
  HUGETEXT_FATE_UNLOCKED = 128 /* Added if it was made, and could not be kept
                                  in memory as had been asked for.  */
};

/* The calls that the process may make beyond those that mapping a library or
   malloc makes, too.  A seccomp filter may kill for the others, and nothing
   tells what it allows, so that under a filter none of these is there; nor if
   there are other threads, of which each may install a filter for all, at any
   moment (SECCOMP_FILTER_FLAG_TSYNC).  */
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
  /* These make no such calls, but may be refused.  */
  HUGETEXT_CAN_ANONYMOUS_TEXT = 1 << 8, /* Memory that was writable may
                                           become executable.  */
  HUGETEXT_CAN_FILE_TEXT = 1 << 9,      /* So may a memory file.  */
  HUGETEXT_ABILITIES = (1 << 10) - 1
};

/* An answer that may not have been asked for yet.  */
enum hugetext_answer
{
  HUGETEXT_NOT_ASKED,
  HUGETEXT_NO,
  HUGETEXT_YES
};

/* Why all of an object is left alone.  */
enum hugetext_left
{
  HUGETEXT_NOT_LEFT,     /* It is not.  */
  HUGETEXT_LEFT_UNFIT,   /* hugetext_object_check says why.  */
  HUGETEXT_LEFT_TEXTREL, /* It has text relocations.  */
  HUGETEXT_LEFT_CHANGED  /* Its program headers in memory are not those
                            of its file.  */
};

/* The circumstances when an object was populated; bits.  */
enum hugetext_circumstance
{
  HUGETEXT_AT_START = 1 << 0,       /* The program was being started.  */
  HUGETEXT_WHO_ASKED = 1 << 1,      /* The next two were found out.  */
  HUGETEXT_WAS_TRACED = 1 << 2,     /* By a debugger.  */
  HUGETEXT_PRCTL_THP = 1 << 3,      /* PR_SET_THP_DISABLE was set.  */
  HUGETEXT_SWITCHED_OFF = 1 << 4,   /* Transparent huge pages were.  */
  HUGETEXT_NO_SLACK = 1 << 5,       /* Address space was limited.  */
  HUGETEXT_FILE_RULED_OUT = 1 << 6, /* Its file's own pages were.  */
  HUGETEXT_WAS_LOST = 1 << 7
};

/* An object with a block that might be huge: no other has one.  */
struct hugetext_entry
{
  uint64_t start;   /* Address of its first block.  */
  uint64_t bias;    /* Its load bias.  */
  uint16_t first;   /* Where the bytes of its blocks begin, from
                       START on without a gap,  */
  uint16_t nblocks; /* and how many there are.  */
  uint16_t can;     /* Bits of enum hugetext_ability.  */
  uint8_t circumstances;
  uint8_t left;       /* An enum hugetext_left.  */
  uint8_t used;       /* 0: the entry is free.  */
  uint8_t populated;  /* 0: its blocks have not been looked at.  */
  uint8_t unrecorded; /* There was no room for its blocks.  */
  uint8_t placed;     /* Its place was chosen, with what is around it:
                         it was not left where it had been mapped, or
                         would have been.  */
  uint8_t reserved[4];
};

/* Blocks that there is room for: a GiB of text.  */
#define HUGETEXT_RECORD_BLOCKS 512

/* Entries are in one array in the record, and in chunks elsewhere.  They are
   the first members of something larger.  */
struct hugetext_record_head
{
  uint32_t version; /* HUGETEXT_RECORD_VERSION.  */
  uint32_t size;    /* Of this.  */
  uint32_t sequence;
  uint32_t block; /* Bytes of a block.  */

  /* The settings, by enum hugetext_key, and who gave them: bits by the
     same.  */
  uint64_t value[HUGETEXT_VALUES];
  uint32_t from_tunable, from_index;
  uint64_t memory; /* Address of a struct hugetext_memory, with
                      what the index says; 0 if there is none.  */

  uint32_t entry_size;    /* From one entry to the next.  */
  uint16_t entries;       /* How many are in the record,  */
  uint16_t chunk_entries; /* and in each chunk.  */
  uint32_t entries_at;    /* Where they begin, from here,  */
  uint32_t chunk_at;      /* and in each chunk, whose first word is the
                             address of the next one, or 0.  */
  uint64_t chunks;        /* Address of the first one.  */

  /* The ledger, when the last object was populated.  */
  uint64_t cap, copies_cap; /* Most blocks, and copies; 0 if the CPU was
                               not asked.  */
  uint64_t room;            /* Copies for which there was memory, the
                               largest number if it was not asked.  */
  uint32_t blocks, copies;  /* In use.  */
  uint32_t code;            /* Blocks of code made at run time.  */
  uint32_t closed;          /* Objects that have been unmapped.  */
  uint16_t nfates;          /* How many of FATE are in use.  */
  uint8_t fate[HUGETEXT_RECORD_BLOCKS];
  uint8_t reserved[6];
};

#endif /* dl-hugetext-record.h */
