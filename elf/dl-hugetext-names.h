/* Types and words for the input of policy and for its decisions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words for the settings of a program, the backings of its blocks, the
   verdict on each block, and the outcome of an attempt to make a block; what
   identifies a file, and says where programs executed it.
   Loader, index, command and tests use the same numbers and words.  */

#ifndef _DL_HUGETEXT_NAMES_H
#define _DL_HUGETEXT_NAMES_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* For functions that every start calls, with huge text or without: they lie
   among glibc's own.  All others have sections of their own, which the linker
   puts behind the text of glibc, so that a start without huge text does not
   fault those pages in (elf/Makefile).  */
#define attribute_every_start __attribute__ ((section (".text")))

/* For variables that are written before the loader relocates the program, and
   not later.  They do not lie in .bss: glibc's first objects get the memory
   behind that, and each page of them that is touched costs a start a
   microsecond.  They lie in front of glibc's own: a gap between pointers makes
   the loader's relocation of itself longer (DT_RELR).  */
#define attribute_start_only __attribute__ ((section (".data.rel.ro.local")))

/* The settings of a program, in the order of the tunables.  Each but the last
   stands for a tunable and has the tunable's values.  */
enum hugetext_key
{
  HUGETEXT_KEY_MODE,    /* hugetext: enum hugetext_mode.  */
  HUGETEXT_KEY_BACKING, /* hugetext_backing: enum hugetext_choice.  */
  HUGETEXT_KEY_PAD,     /* hugetext_pad_threshold: bytes.  */
  HUGETEXT_KEY_MAX,     /* hugetext_max: blocks.  */
  HUGETEXT_VALUES,
  /* The objects that may have blocks: a list for hugetext_objects_allow.  */
  HUGETEXT_KEY_OBJECTS = HUGETEXT_VALUES,
  HUGETEXT_KEYS
};

/* Bits of HUGETEXT_KEY_MODE.  */
enum hugetext_mode
{
  HUGETEXT_MODE_TEXT = 1,  /* Programs and libraries.  */
  HUGETEXT_MODE_CODE = 2,  /* Code made at run time.  */
  HUGETEXT_MODE_PRCTL = 4, /* A filter is known to allow prctl.  */
  HUGETEXT_MODES = 8,
  /* The start is a rehearsal (dl-hugetext-rehearsal.c).  Only the tunable has
     this bit, the index does not.  */
  HUGETEXT_MODE_REHEARSAL = 8
};

/* Values of HUGETEXT_KEY_BACKING: the backings that the loader may try.  */
enum hugetext_choice
{
  HUGETEXT_AUTO,
  HUGETEXT_FILE,
  HUGETEXT_THP,
  HUGETEXT_HUGETLB,
  HUGETEXT_STORE,
  HUGETEXT_CHOICES
};

/* The word for CHOICE.  */
extern const char *
hugetext_choice_name (enum hugetext_choice choice) attribute_hidden;

/* The choice with the word or the number in the LENGTH characters at VALUE;
   HUGETEXT_CHOICES if they name none.  */
extern enum hugetext_choice
hugetext_choice_of (const char *value, size_t length) attribute_hidden;

/* The identity of a file: numbers that no other file has, and that the file
   itself has no more after any change of its bytes, owner or mode.  Only the
   kernel sets a file's ctime, at each change, whatever utimensat puts into the
   mtime.  A file on an anonymous device has no identity: the kernel gives the
   device's number to another filesystem later, and a server may invent the
   other numbers. doc/experiments/identity has the trials.  */
struct hugetext_identity
{
  uint64_t device;
  uint64_t inode; /* Never 0, except in an identity that is not known.  */
  uint64_t size;
  int64_t mtime, ctime; /* In ns.  */
};

/* The identity of the file of STATUS, a struct stat or stat64.  */
#define HUGETEXT_IDENTITY(status)                        \
  ((struct hugetext_identity){                           \
      .device = (status)->st_dev,                        \
      .inode = (status)->st_ino,                         \
      .size = (status)->st_size,                         \
      .mtime = HUGETEXT_NANOSECONDS ((status)->st_mtim), \
      .ctime = HUGETEXT_NANOSECONDS ((status)->st_ctim) })

/* TIME, a struct timespec, in ns.  */
#define HUGETEXT_NANOSECONDS(time) \
  ((time).tv_sec * (int64_t) 1000000000 + (time).tv_nsec)

/* The size of a granule, in bytes of link-time addresses.  Heat is recorded by
   granule.  A granule is small enough that the heat of a block can be summed
   up wherever the block begins.  */
#define HUGETEXT_GRANULE (64 << 10)

/* The heat of an object.  WEIGHT is NULL if the index has no heat of it.  */
struct hugetext_heat
{
  uint64_t first;
  size_t granules;
  const uint16_t *weight;
};

/* The kind of a block's huge page, in the order in which the loader tries
   them: those that processes share, and then copies, which take memory.  */
enum hugetext_way
{
  HUGETEXT_WAY_FILE,        /* A page of the object's own file.  */
  HUGETEXT_WAY_STORE,       /* A page of an image in the store.  */
  HUGETEXT_WAY_HUGETLB,     /* A copy in the hugetlb pool,  */
  HUGETEXT_WAY_MEMORY_FILE, /* in a memory file,  */
  HUGETEXT_WAY_THP,         /* or in anonymous memory.  */
  HUGETEXT_WAYS
};

/* Whether WAY takes memory of the process's own.  */
static inline bool
hugetext_is_copy (enum hugetext_way way)
{
  return way != HUGETEXT_WAY_FILE && way != HUGETEXT_WAY_STORE;
}

/* The verdict on a block: HUGETEXT_TAKE, or the reason why the block is not
   taken, as hugetext_reason_text says it.  */
enum hugetext_verdict
{
  HUGETEXT_TAKE,
  HUGETEXT_NO_TEXT,
  HUGETEXT_OUTSIDE, /* A part of the block lies beyond LOW or HIGH.  */
  HUGETEXT_WRITABLE,
  HUGETEXT_RELRO,
  HUGETEXT_ZERO_FILL,    /* p_memsz > p_filesz, and not writable.  */
  HUGETEXT_EXECUTE_ONLY, /* A part of the block must not become readable, or be
                            accessible at all, and another part must be.  */
  HUGETEXT_BELOW_THRESHOLD,
  HUGETEXT_KEPT_FREE,
  HUGETEXT_OVER_CAP,     /* Better blocks have used up the cap.  */
  HUGETEXT_SMALL_PROGRAM /* The program has too little text to gain.  */
};

#define HUGETEXT_VERDICTS (HUGETEXT_SMALL_PROGRAM + 1)

/* The outcome of an attempt to make a block: HUGETEXT_MADE if the block is
   made, or nothing has failed so far; otherwise the reason, as
   hugetext_reason_text says it.  */
enum hugetext_outcome
{
  HUGETEXT_MADE,
  HUGETEXT_NOT_CONGRUENT = HUGETEXT_VERDICTS,
  HUGETEXT_FILE_SMALL,
  HUGETEXT_NOT_STORED,
  HUGETEXT_STORE_SMALL,
  HUGETEXT_HOLE_TAKEN,
  HUGETEXT_NO_SPACE, /* For the staging area.  */
  HUGETEXT_POOL_SHORT,
  HUGETEXT_UNREADABLE,
  HUGETEXT_MODIFIED, /* Memory differs from the file.  */
  HUGETEXT_NOT_HUGE,
  HUGETEXT_THP_OFF,
  HUGETEXT_PROTECT,
  HUGETEXT_NOT_PLACED,
  HUGETEXT_LOST,   /* The kernel has removed the text.  */
  HUGETEXT_TRACED, /* A debugger could not write to the block.  */
  HUGETEXT_NO_ROOM,
  HUGETEXT_GAVE_UP,
  HUGETEXT_NOT_WORTH,
  HUGETEXT_NOT_OPENED,
  HUGETEXT_OVER_COPIES,
  HUGETEXT_DATA_LIMIT,
  HUGETEXT_SIZE_LIMIT,
  HUGETEXT_FORBIDDEN
};

#define HUGETEXT_REASONS (HUGETEXT_FORBIDDEN + 1)

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

/* Whether a block with FATE is huge.  */
static inline bool
hugetext_is_made (unsigned int fate)
{
  return fate >= HUGETEXT_FATE_FILE;
}

/* A clause that says why a block is not taken, or not made: REASON is a
   verdict or an outcome, which differ in their numbers.  "" if it is neither.
 */
extern const char *hugetext_reason_text (unsigned int reason) attribute_hidden;

/* The answer to a question that may not have been asked yet.  */
enum hugetext_answer
{
  HUGETEXT_NOT_ASKED,
  HUGETEXT_NO,
  HUGETEXT_YES
};

/* The settings in force and what has failed for all objects: the root by which
   other processes find the record, which every process has.  */
struct hugetext_root
{
  struct hugetext_record_head *head; /* NULL if there is no record
                                        (dl-hugetext-record.h): huge text is
                                        off, or no object that was mapped could
                                        gain from it.  */
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

#endif /* dl-hugetext-names.h */
