/* Types and words for the input of policy and for its decisions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The settings of a program, the backings of its blocks, the verdict on each
   block, and how an attempt to make one ended: the same numbers and words in
   the loader, in the index, in the command and in the tests.  */

#ifndef _DL_HUGETEXT_NAMES_H
#define _DL_HUGETEXT_NAMES_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* The settings of a program.  In the order of the tunables, which all but
   the last stand for; values are those of the tunables.  */
enum hugetext_key
{
  HUGETEXT_KEY_MODE,    /* hugetext: enum hugetext_mode.  */
  HUGETEXT_KEY_BACKING, /* hugetext_backing: enum hugetext_choice.  */
  HUGETEXT_KEY_PAD,     /* hugetext_pad_threshold: bytes.  */
  HUGETEXT_KEY_MAX,     /* hugetext_max: blocks.  */
  HUGETEXT_KEY_LOCK,    /* hugetext_lock: 0 or 1.  */
  HUGETEXT_VALUES,
  /* Which objects may have blocks: a list for hugetext_objects_allow.  */
  HUGETEXT_KEY_OBJECTS = HUGETEXT_VALUES,
  HUGETEXT_KEYS
};

/* The name of a tunable behind "glibc.mem."; KEY is not
   HUGETEXT_KEY_OBJECTS.  */
extern const char *hugetext_key_name (enum hugetext_key key) attribute_hidden;

/* The largest value that an index gives it.  */
extern uint64_t hugetext_key_max (enum hugetext_key key) attribute_hidden;

/* Bits of HUGETEXT_KEY_MODE.  */
enum hugetext_mode
{
  HUGETEXT_MODE_TEXT = 1,  /* Programs and libraries.  */
  HUGETEXT_MODE_CODE = 2,  /* Code made at run time.  */
  HUGETEXT_MODE_PRCTL = 4, /* A filter is known to allow prctl.  */
  HUGETEXT_MODES = 8,
  /* The start is a rehearsal (dl-hugetext-rehearsal.h).  For the tunable
     alone, not for the index.  */
  HUGETEXT_MODE_REHEARSAL = 8
};

/* Values of HUGETEXT_KEY_BACKING: which backings come into question.  */
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

/* The choice that the LENGTH characters at VALUE make, by its word or its
   number; HUGETEXT_CHOICES if that is neither.  */
extern enum hugetext_choice
hugetext_choice_of (const char *value, size_t length) attribute_hidden;

/* The kind of a block's huge page.  */
enum hugetext_way
{
  HUGETEXT_WAY_FILE,        /* The object's own file's.  */
  HUGETEXT_WAY_STORE,       /* An image's of it, in the store.  */
  HUGETEXT_WAY_THP,         /* A copy: anonymous memory,  */
  HUGETEXT_WAY_MEMORY_FILE, /* a memory file,  */
  HUGETEXT_WAY_HUGETLB,     /* or the hugetlb pool.  */
  HUGETEXT_WAYS
};

/* Whether it is memory of the process's own.  */
static inline bool
hugetext_is_copy (enum hugetext_way way)
{
  return way != HUGETEXT_WAY_FILE && way != HUGETEXT_WAY_STORE;
}

/* Why a block is taken or not.  */
enum hugetext_verdict
{
  HUGETEXT_TAKE,
  HUGETEXT_NO_TEXT,         /* Not a byte of text in it.  */
  HUGETEXT_OUTSIDE,         /* Part of it lies beyond LOW or HIGH.  */
  HUGETEXT_WRITABLE,        /* It holds a page of a writable segment.  */
  HUGETEXT_RELRO,           /* It holds a page of RELRO.  */
  HUGETEXT_ZERO_FILL,       /* It holds zero fill (p_memsz > p_filesz)
                               of a segment that is not writable.  */
  HUGETEXT_EXECUTE_ONLY,    /* Something that must not become readable,
                               or be accessible at all, shares it with
                               something that must be.  */
  HUGETEXT_BELOW_THRESHOLD, /* An edge block with too little text.  */
  HUGETEXT_KEPT_FREE,       /* It comes late, and a fuller one may come
                               still.  */
  HUGETEXT_OVER_CAP         /* Better blocks used up the cap.  */
};

#define HUGETEXT_VERDICTS (HUGETEXT_OVER_CAP + 1)

/* A word for VERDICT.  */
extern const char *
hugetext_verdict_name (enum hugetext_verdict verdict) attribute_hidden;

/* How an attempt to make a block ended.  */
enum hugetext_outcome
{
  HUGETEXT_MADE,          /* Or nothing has failed so far.  */
  HUGETEXT_NOT_CONGRUENT, /* The file cannot lie at this address.  */
  HUGETEXT_FILE_SMALL,    /* The file is not cached in huge pages.  */
  HUGETEXT_NOT_STORED,    /* The store has no image of it.  */
  HUGETEXT_STORE_SMALL,   /* It has, but in small pages.  */
  HUGETEXT_HOLE_TAKEN,    /* Another mapping lies in a hole.  */
  HUGETEXT_NO_SPACE,      /* No address space or memory to stage.  */
  HUGETEXT_POOL_SHORT,    /* hugetlb pool exhausted.  */
  HUGETEXT_UNREADABLE,    /* Contents could not be read.  */
  HUGETEXT_MODIFIED,      /* Memory differs from the file.  */
  HUGETEXT_NOT_HUGE,      /* The kernel gave small pages.  */
  HUGETEXT_THP_OFF,       /* The administrator switched THP off.  */
  HUGETEXT_PROTECT,       /* Could not be made executable.  */
  HUGETEXT_NOT_PLACED,    /* Could not be moved into place.  */
  HUGETEXT_LOST,          /* The text is gone.  */
  HUGETEXT_TRACED,        /* A debugger could not write to it.  */
  HUGETEXT_NO_ROOM,       /* Too near to a memory limit.  */
  HUGETEXT_GAVE_UP,       /* Too many blocks failed before.  */
  HUGETEXT_NOT_WORTH,     /* Its profile has not seen it executed,
                             and it would be a copy.  */
  HUGETEXT_NOT_OPENED,    /* The file could not be.  */
  HUGETEXT_OVER_COPIES,   /* All copies that there may be are made.  */
  HUGETEXT_DATA_LIMIT,    /* RLIMIT_DATA left no memory for a copy.  */
  HUGETEXT_SIZE_LIMIT,    /* RLIMIT_FSIZE left no memory file.  */
  HUGETEXT_FORBIDDEN      /* The kernel refused to map its image
                             executable.  */
};

/* Why a block is not made that ended like OUTCOME, a clause; "" if it is
   made.  */
extern const char *
hugetext_outcome_text (enum hugetext_outcome outcome) attribute_hidden;

#endif /* dl-hugetext-names.h */
