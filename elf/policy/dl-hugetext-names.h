/* Types and words for the policy's input and decisions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This header defines the settings of a program, the backings of blocks, the
   verdict on a block and the outcome of an attempt to make a block huge.  The
   header also defines the identity of a file and the heat of its text.
   Loader, index, command and tests use the same numbers and words.  */

#ifndef _DL_HUGETEXT_NAMES_H
#define _DL_HUGETEXT_NAMES_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* The attribute for functions that every start calls, even without huge text.
   The linker puts functions with this attribute among glibc's own text.  All
   other functions of ld-hugetext have sections of their own, which the linker
   puts after glibc's text (elf/hooks/Makefile).  So a start without huge text
   does not fault in pages of the other functions.  */
#define attribute_every_start __attribute__ ((section (".text")))

/* The attribute for variables that are written only before the loader
   relocates the program.  The attribute keeps the variables out of .bss: glibc
   allocates its first objects in the memory after .bss, and each page touched
   there costs a start a microsecond.  The linker puts the variables before
   glibc's own variables, because a gap between pointers makes the loader's
   relocation of itself (DT_RELR) longer.  */
#define attribute_start_only __attribute__ ((section (".data.rel.ro.local")))

/* The settings of a program: a key for each row of dl-hugetext-settings.def.
   The keys below HUGETEXT_VALUES have numbers as values, the other keys lists
   of words.  */
enum hugetext_key
{
#define HUGETEXT_SETTING(id, ...) HUGETEXT_KEY_##id,
#include "dl-hugetext-settings.def"
  HUGETEXT_VALUES,
  HUGETEXT_LAST_VALUE = HUGETEXT_VALUES - 1,
#define HUGETEXT_SETTING_LIST(id, ...) HUGETEXT_KEY_##id,
#include "dl-hugetext-settings.def"
  HUGETEXT_KEYS
};

/* The largest value (HUGETEXT_MOST_ID) and the default (HUGETEXT_DEFAULT_ID)
   of each setting.  */
enum hugetext_range
{
#define HUGETEXT_SETTING(id, tunable, word, kind, most, standard, ...) \
  HUGETEXT_MOST_##id = most##u, HUGETEXT_DEFAULT_##id = standard##u,
#include "dl-hugetext-settings.def"
};

/* The bits of HUGETEXT_KEY_MODE.  */
enum hugetext_mode
{
  HUGETEXT_MODE_TEXT = 1,  /* Put programs and libraries on huge pages.  */
  HUGETEXT_MODE_CODE = 2,  /* Put code made at run time on huge pages.  */
  HUGETEXT_MODE_PRCTL = 4, /* The seccomp filter is known to allow prctl.  */
  HUGETEXT_MODES = 8,
  /* The start is a dry run (dl-hugetext-rehearsal.c).  Only the tunable can
     set HUGETEXT_MODE_REHEARSAL and HUGETEXT_MODE_FILTERED; the index
     cannot.  */
  HUGETEXT_MODE_REHEARSAL = 8,
  /* The dry run stands for a start under a seccomp filter.  (A dry run itself
     always runs under a filter.)  */
  HUGETEXT_MODE_FILTERED = 16
};

/* The number of choices in dl-hugetext-backings.def.  */
enum hugetext_choice_count
{
  HUGETEXT_CHOICE_AUTO,
#define HUGETEXT_CHOSEN_BACKING(id, ...) HUGETEXT_CHOICE_##id,
#include "dl-hugetext-backings.def"
  HUGETEXT_CHOICE_COUNT
};

/* The user's choice of backings: the values of HUGETEXT_KEY_BACKING.  */
enum hugetext_choice
{
  HUGETEXT_AUTO,
#define HUGETEXT_CHOSEN_BACKING(id, word, letter, number) \
  HUGETEXT_##id = number,
#include "dl-hugetext-backings.def"
  HUGETEXT_CHOICES = HUGETEXT_CHOICE_COUNT
};

/* Which objects keep the name of their file in /proc/PID/maps when blocks are
   copied: the values of HUGETEXT_KEY_NAMES.  The ELF header and a piece of the
   text of such an object stay mapped from the file.  */
enum hugetext_naming
{
  HUGETEXT_NAMES_NO,
  HUGETEXT_NAMES_ALL,
  HUGETEXT_NAMES_CHEAPLY /* Only objects whose name costs little text.  */
};

_Static_assert(HUGETEXT_MOST_MODE
                   == (HUGETEXT_MODE_FILTERED | HUGETEXT_MODE_REHEARSAL
                       | (HUGETEXT_MODES - 1)),
               "the row of the mode has its bits");
_Static_assert(HUGETEXT_MOST_BACKING == HUGETEXT_CHOICES - 1,
               "and that of the backing its choices");
_Static_assert((int) HUGETEXT_MOST_NAMES == (int) HUGETEXT_NAMES_CHEAPLY,
               "and that of names its values");

/* Return the word for CHOICE.  */
extern const char *
hugetext_choice_name (enum hugetext_choice choice) attribute_hidden;

/* Return the choice whose word or number is the LENGTH characters at VALUE.
   Return HUGETEXT_CHOICES if no choice has this word or number.  */
extern enum hugetext_choice
hugetext_choice_of (const char *value, size_t length) attribute_hidden;

/* The identity of a file: numbers that no other file has, and that change with
   every change of the file's bytes, owner or mode.  The ctime shows every
   change, because only the kernel sets the ctime; utimensat can set the mtime,
   but not the ctime.  A file on an anonymous device has no identity: the
   kernel later reuses the device number for another filesystem, and a server
   may invent the other numbers.  doc/experiments/identity has the
   measurements.  */
struct hugetext_identity
{
  uint64_t device;
  uint64_t inode; /* Never 0, except in an unknown identity.  */
  uint64_t size;
  int64_t mtime, ctime; /* In nanoseconds.  */
};

/* The identity of the file that STATUS, a struct stat or stat64,
   describes.  */
#define HUGETEXT_IDENTITY(status)                        \
  ((struct hugetext_identity){                           \
      .device = (status)->st_dev,                        \
      .inode = (status)->st_ino,                         \
      .size = (status)->st_size,                         \
      .mtime = HUGETEXT_NANOSECONDS ((status)->st_mtim), \
      .ctime = HUGETEXT_NANOSECONDS ((status)->st_ctim) })

/* TIME, a struct timespec, in nanoseconds.  */
#define HUGETEXT_NANOSECONDS(time) \
  ((time).tv_sec * (int64_t) 1000000000 + (time).tv_nsec)

/* The size of a granule in bytes of link-time addresses.  A granule is the
   unit of heat: it is so small that the heat of a block can be summed up
   wherever the block begins.  */
#define HUGETEXT_GRANULE (64 << 10)

/* The heat of an object.  WEIGHT is NULL if the index has no heat of the
   object.  */
struct hugetext_heat
{
  uint64_t first;
  size_t granules;
  const uint16_t *weight;
};

/* The backing of a block's huge page: a number for each row of
   dl-hugetext-backings.def.  */
enum hugetext_way
{
#define HUGETEXT_CHOSEN_BACKING(id, ...) HUGETEXT_WAY_##id,
#define HUGETEXT_OTHER_BACKING(id, ...) HUGETEXT_WAY_##id,
#include "dl-hugetext-backings.def"
  HUGETEXT_WAYS
};

/* Return the word for WAY, or "?" if WAY is invalid.  */
extern const char *hugetext_way_name (enum hugetext_way way) attribute_hidden;

/* Whether a block with the backing WAY is a copy, which uses memory of the
   process.  */
static inline bool
hugetext_is_copy (enum hugetext_way way)
{
  return way != HUGETEXT_WAY_FILE && way != HUGETEXT_WAY_STORE;
}

/* The reason for the state of a block.  Each row of dl-hugetext-reasons.def
   has a number, and each backing of a huge block has one.  Verdicts of the
   policy, outcomes of attempts and findings of the command have distinct
   numbers.  The loader's record stores the number in a byte for each
   block.  */
enum hugetext_reason
{
#define HUGETEXT_NO_REASON(id, ...) HUGETEXT_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_VERDICTS, /* The first verdict.  */
  HUGETEXT_BEFORE_VERDICTS = HUGETEXT_VERDICTS - 1,
#define HUGETEXT_VERDICT(id, ...) HUGETEXT_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_OUTCOMES, /* The first outcome.  */
  HUGETEXT_LAST_VERDICT = HUGETEXT_OUTCOMES - 1,
#define HUGETEXT_OUTCOME(id, ...) HUGETEXT_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_FINDINGS, /* The first finding.  The loader has no findings.  */
  HUGETEXT_LAST_OUTCOME = HUGETEXT_FINDINGS - 1,
#define HUGETEXT_FINDING(id, ...) REASON_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_REASONS, /* The number of all reasons.  */
  HUGETEXT_HUGE = 128,
#define HUGETEXT_CHOSEN_BACKING(id, ...) \
  HUGETEXT_HUGE_##id = HUGETEXT_HUGE + HUGETEXT_WAY_##id,
#define HUGETEXT_OTHER_BACKING HUGETEXT_CHOSEN_BACKING
#include "dl-hugetext-backings.def"
};

_Static_assert((int) HUGETEXT_NONE == 0, "memory of zeros has no reason");
_Static_assert((int) HUGETEXT_REASONS <= (int) HUGETEXT_HUGE,
               "no reason is a way in which blocks are huge");
_Static_assert((int) HUGETEXT_HUGE + (int) HUGETEXT_WAYS <= UINT8_MAX + 1,
               "all are numbers of a byte");

/* Whether REASON says that the loader has made a block huge.  */
static inline bool
hugetext_is_made (enum hugetext_reason reason)
{
  return reason >= HUGETEXT_HUGE;
}

/* Convert between the reason of a huge block and its backing.  hugetext_way_of
   accepts only reasons for which hugetext_is_made is true.  */
static inline enum hugetext_way
hugetext_way_of (enum hugetext_reason reason)
{
  return (enum hugetext_way) (reason - HUGETEXT_HUGE);
}

static inline enum hugetext_reason
hugetext_huge_by (enum hugetext_way way)
{
  return (enum hugetext_reason) (HUGETEXT_HUGE + way);
}

/* Whether REASON is a verdict: the policy refuses the block.  */
static inline bool
hugetext_is_verdict (enum hugetext_reason reason)
{
  return reason >= HUGETEXT_VERDICTS && reason < HUGETEXT_OUTCOMES;
}

/* Whether, for REASON, no huge page is to be used for the block even if its
   file has one.  */
static inline bool
hugetext_is_beyond_cap (enum hugetext_reason reason)
{
  return (reason == HUGETEXT_OVER_CAP || reason == HUGETEXT_KEPT_FREE
          || reason == HUGETEXT_COLD);
}

/* Return a clause that explains REASON, if REASON is a verdict or an outcome.
   Return "" for any other reason.  */
extern const char *
hugetext_reason_text (enum hugetext_reason reason) attribute_hidden;

/* A cached answer to a question: not asked yet, no or yes.  */
enum hugetext_answer
{
  HUGETEXT_NOT_ASKED,
  HUGETEXT_NO,
  HUGETEXT_YES
};

/* The root, a structure in every process: the settings in force, and failures
   that affect all objects.  Other processes find the record through the
   root.  */
struct hugetext_root
{
  struct hugetext_record_head *head; /* The record (dl-hugetext-record.h).
                                        NULL if huge text is off, if no mapped
                                        object can gain, or if the program is
                                        small and has no huge block.  */
  uint8_t text, code;   /* 1 if text, or code made at run time, should be huge,
                           otherwise 0.  */
  uint8_t no_gain;      /* An enum hugetext_answer: whether no object could
                           gain because transparent huge pages were off.  */
  uint8_t index_error;  /* The error (errno) of opening the index, or 0.  */
  uint32_t image_error; /* The error (errno) of opening or mapping an image in
                           the store, or 0.  */
  /* The settings by enum hugetext_key, valid if huge text or code is on.
     FROM_TUNABLE and FROM_INDEX have a bit for each key that a tunable or the
     index sets.  */
  uint32_t from_tunable, from_index;
  uint64_t value[HUGETEXT_VALUES];
  uint16_t small;    /* An enum hugetext_answer: whether the program had too
                        little text to gain when it was started, and no setting
                        asks for huge pages for it.  */
  uint16_t no_slack; /* 1 if the objects of a small program got no slack
                        because address space is limited, otherwise 0.  */
  uint32_t code_left_alone; /* An enum hugetext_code_reason (hugetext-code.h):
                               the reason why the process does not track code,
                               although CODE is 1.  */
  const struct hugetext_advice *advice; /* The index's settings for the
                                           program, or NULL if the index has
                                           none.  */
};

#endif /* dl-hugetext-names.h */
