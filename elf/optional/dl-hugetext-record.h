/* The record: what the loader has decided for each block, and why.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The command also compiles this header, and reads the record from
   /proc/PID/mem or from a core file.  To find the record, the command reads an
   ELF note of the loader (struct hugetext_record_note).  The note contains the
   offset of a struct hugetext_root (dl-hugetext-names.h), which points to the
   record.  The loader writes the record under its own lock.  While the loader
   writes, SEQUENCE is odd; afterwards SEQUENCE is even, but different from
   before.  SEQUENCE shows a reader whether the record has changed while it was
   read.  Numbers have fixed sizes, so that all 64-bit builds agree.

   If you change a struct in this file, or numbers of an enumeration that a
   struct stores, raise HUGETEXT_RECORD_VERSION.  */

#ifndef _DL_HUGETEXT_RECORD_H
#define _DL_HUGETEXT_RECORD_H 1

#include <stdint.h>

#include "dl-hugetext-names.h"

/* The version of the record's format.  The version changes with the number of
   reasons, because the record stores reasons as numbers.  The version also
   changes with the number of settings, because struct hugetext_root and struct
   hugetext_advice have an element for each setting.  */
#define HUGETEXT_RECORD_VERSION \
  (23 << 24 | HUGETEXT_FINDINGS << 16 | HUGETEXT_VALUES << 8 | HUGETEXT_KEYS)

/* The name, the type and the descriptor of the note.  */
#define HUGETEXT_RECORD_NOTE "ld-hugetext-record"
#define HUGETEXT_RECORD_NOTE_TYPE 1
struct hugetext_record_note
{
  int32_t version;
  int32_t root;   /* The distance in bytes from this member of the note to the
                     root (_dl_hugetext_root).  */
  int32_t loader; /* The distance in bytes from this member of the note to the
                     loader's ELF header.  */
};

/* Bits that describe the circumstances in which the loader populated an
   object.  */
enum hugetext_circumstance
{
  HUGETEXT_WAS_FILTERED = 1 << 0, /* The process had a filter or other threads,
                                     so the loader avoided some system calls
                                     for the object.  */
  HUGETEXT_WAS_TRACED = 1 << 1,   /* A debugger traced the process.  */
  HUGETEXT_NO_SLACK = 1 << 2,     /* Address space was limited.  */
  HUGETEXT_WAS_CHANGED = 1 << 3,  /* The loader skipped the object, because the
                                     program headers in memory differed from
                                     those in the file.  */
  HUGETEXT_WAS_UNTOLD = 1 << 4,   /* The loader could not find out whether the
                                     process has debuggers or filters.  */
  HUGETEXT_UNRECORDED = 1 << 5    /* The process lacked memory to record the
                                     reasons of some of the object's blocks. */
};

/* An object's entry in the record.  Only an object with a block that might be
   huge has an entry.  The loader adds the entry after it has decided about all
   blocks of the object.  */
struct hugetext_entry
{
  uint64_t next;      /* The address of the next entry, or 0.  */
  uint64_t start;     /* The address of the object's first block.  */
  uint64_t bias;      /* The load bias of the object.  */
  uint64_t low, high; /* The addresses that the loader has reserved for the
                         object and its slack.  The bounds of the reserved
                         range are both 0 if the loader has reserved nothing
                         for the object.  */
  uint16_t first;     /* The index of the object's first run.  */
  uint16_t nruns;     /* The number of the object's runs.  */
  uint16_t nblocks;   /* The number of the object's blocks: the sum of the
                         blocks of its runs.  */
  uint8_t circumstances;
  uint8_t nfree; /* The number of the process's huge blocks that use no memory
                    of the process, at most HUGETEXT_COPY_SHARE.  The higher
                    NFREE is, the more text a block of the object must have to
                    be worth a copy (hugetext_copy_text).  NFREE is 0 for an
                    object that was mapped at the program's start.  */
};

/* A run: successive blocks of an object that have the same reason.  */
struct hugetext_record_run
{
  uint8_t nblocks; /* The number of blocks of the run, at least 1.  */
  uint8_t code;    /* The reason, an enum hugetext_reason.  */
};

/* The number of runs in the beginning of the record, and the maximum number of
   runs of a record.  Few programs need more than HUGETEXT_RECORD_RUNS runs.
   HUGETEXT_RECORD_RUNS_MAX runs are enough for 32 GiB of text with blocks of 2
   MiB, even if no two neighboring blocks have the same reason.  */
#define HUGETEXT_RECORD_RUNS 240
#define HUGETEXT_RECORD_RUNS_MAX 16384

/* The beginning of the record.  */
struct hugetext_record_head
{
  uint32_t sequence;
  uint32_t block;   /* The size of a block in bytes.  */
  uint64_t entries; /* The address of the first entry, or 0.  */
  uint64_t runs;    /* The address of the array with the runs of all objects.
                       The array is FIRST_RUNS, or other memory if the process
                       needs more runs than FIRST_RUNS can hold.  */
  uint64_t nruns;   /* The number of runs in the array at RUNS.  */
  struct hugetext_record_run first_runs[HUGETEXT_RECORD_RUNS];
};

#endif /* dl-hugetext-record.h */
