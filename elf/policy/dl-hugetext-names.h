/* Types, numbers and words for the decisions of the policy, and for the
   objects, blocks and files that it decides about.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This header defines the settings of a program, the backings of blocks, the
   verdict of the policy on a block, and the outcome of trying to make a block
   huge.  The header also defines the identity of a file and the heat of an
   object's text.  The loader, the index, the command and the tests all use
   these numbers and words.  */

#ifndef _DL_HUGETEXT_NAMES_H
#define _DL_HUGETEXT_NAMES_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef attribute_hidden
#  define attribute_hidden __attribute__ ((visibility ("hidden")))
#endif

/* The attribute of functions that every start calls, even without huge text.
   The linker puts functions with this attribute among glibc's own text.  The
   linker puts all other functions of ld-hugetext, which have sections of their
   own, after glibc's text (elf/hooks/Makefile).  So a start without huge text
   causes no page faults for the functions of ld-hugetext that it does not
   call.  */
#define attribute_every_start __attribute__ ((section (".text")))

/* The attribute of variables that the loader writes only before it relocates
   the program.  Variables with this attribute are kept out of .bss: glibc
   allocates its first objects directly after .bss, so a larger .bss may make
   each start touch one more page, which takes a microsecond.  The linker puts
   variables with this attribute before glibc's own variables in the section
   .data.rel.ro.local.  At this place the variables do not separate glibc's
   pointers from each other.  A gap between these pointers would make the
   relocation of the loader by DT_RELR slower.  */
#define attribute_start_only __attribute__ ((section (".data.rel.ro.local")))

/* The keys of a program's settings, one for each row of
   dl-hugetext-settings.def.  The values of keys below HUGETEXT_VALUES are
   numbers; the values of all other keys are lists of words.  */
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

/* For each setting, its maximum (HUGETEXT_MOST_ID) and its default
   (HUGETEXT_DEFAULT_ID).  */
enum hugetext_range
{
#define HUGETEXT_SETTING(id, tunable, word, kind, most, standard, ...) \
  HUGETEXT_MOST_##id = most##u, HUGETEXT_DEFAULT_##id = standard##u,
#include "dl-hugetext-settings.def"
};

/* The bits of the value of HUGETEXT_KEY_MODE.  */
enum hugetext_mode
{
  HUGETEXT_MODE_TEXT = 1,  /* Put programs and libraries on huge pages.  */
  HUGETEXT_MODE_CODE = 2,  /* Put code made at run time on huge pages.  */
  HUGETEXT_MODE_PRCTL = 4, /* The process's seccomp filter is known to allow
                              prctl.  */
  HUGETEXT_MODES = 8,
  /* The start is a dry run (dl-hugetext-rehearsal.c).  Only the tunable can
     set HUGETEXT_MODE_REHEARSAL and HUGETEXT_MODE_FILTERED; the index
     cannot.  */
  HUGETEXT_MODE_REHEARSAL = 8,
  /* The dry run shows what would happen in a start under a seccomp filter.
     (The dry run itself always has a filter, which allows what the loader
     needs.)  */
  HUGETEXT_MODE_FILTERED = 16
};

/* The number of choices of a backing: auto, and each backing that users can
   choose.  */
enum hugetext_choice_count
{
  HUGETEXT_CHOICE_AUTO,
#define HUGETEXT_CHOSEN_BACKING(id, ...) HUGETEXT_CHOICE_##id,
#include "dl-hugetext-backings.def"
  HUGETEXT_CHOICE_COUNT
};

/* The values of HUGETEXT_KEY_BACKING: the backings (sources of a block's huge
   page) that the user allows.  */
enum hugetext_choice
{
  HUGETEXT_AUTO,
#define HUGETEXT_CHOSEN_BACKING(id, word, letter, number) \
  HUGETEXT_##id = number,
#include "dl-hugetext-backings.def"
  HUGETEXT_CHOICES = HUGETEXT_CHOICE_COUNT
};

/* The values of HUGETEXT_KEY_NAMES, which say which objects keep the name of
   their file in /proc/PID/maps when their blocks become copies.  An object
   keeps its file's name in /proc/PID/maps if the ELF header and at least a
   page of the object's text stay mapped from the file.  */
enum hugetext_naming
{
  HUGETEXT_NAMES_NO,
  HUGETEXT_NAMES_ALL,
  HUGETEXT_NAMES_CHEAPLY /* An object keeps its file's name only if this leaves
                            little of the object's text on small pages.  */
};

_Static_assert(HUGETEXT_MOST_MODE
                   == (HUGETEXT_MODE_FILTERED | HUGETEXT_MODE_REHEARSAL
                       | (HUGETEXT_MODES - 1)),
               "\"hugetext\" may have all bits of enum hugetext_mode");
_Static_assert(HUGETEXT_MOST_BACKING == HUGETEXT_CHOICES - 1,
               "the maximum of \"backing\" is the number of the last choice");
_Static_assert((int) HUGETEXT_MOST_NAMES == (int) HUGETEXT_NAMES_CHEAPLY,
               "the maximum of \"names\" is the last enum hugetext_naming");

/* Return the word for CHOICE.  */
extern const char *
hugetext_choice_name (enum hugetext_choice choice) attribute_hidden;

/* Return the choice whose word or number is the LENGTH characters at VALUE, or
   HUGETEXT_CHOICES if there is no such choice.  */
extern enum hugetext_choice
hugetext_choice_of (const char *value, size_t length) attribute_hidden;

/* The identity of a file: numbers that no other file has, and that change when
   the file's bytes, owner or mode change.  Every change of a file shows in
   its ctime, because only the kernel sets it, whereas processes can set the
   mtime with utimensat.  A file on an anonymous device has no identity: the
   kernel may reuse the device number for another filesystem, and a server of
   the filesystem may invent the inode number and the times.
   doc/experiments/identity has the measurements.  */
struct hugetext_identity
{
  uint64_t device;
  uint64_t inode; /* The inode number; 0 means that the identity is
                     unknown.  */
  uint64_t size;
  int64_t mtime, ctime; /* The times of the last modification and of the last
                           change, in nanoseconds.  */
};

/* The identity of a file, from its STATUS, which is a struct stat or
   stat64.  */
#define HUGETEXT_IDENTITY(status)                        \
  ((struct hugetext_identity){                           \
      .device = (status)->st_dev,                        \
      .inode = (status)->st_ino,                         \
      .size = (status)->st_size,                         \
      .mtime = HUGETEXT_NANOSECONDS ((status)->st_mtim), \
      .ctime = HUGETEXT_NANOSECONDS ((status)->st_ctim) })

/* Convert TIME, a struct timespec, to nanoseconds.  */
#define HUGETEXT_NANOSECONDS(time) \
  ((time).tv_sec * (int64_t) 1000000000 + (time).tv_nsec)

/* The size of a granule in bytes.  The index has a weight for each granule.  A
   granule is so small that the loader can compute the heat of a block wherever
   the block begins.  */
#define HUGETEXT_GRANULE (64 << 10)

/* The heat of an object's text: for each granule, the granule's share of all
   samples in an execution profile.  WEIGHT is NULL if the index has no
   execution profile of this object.  */
struct hugetext_heat
{
  uint64_t first;
  size_t granules;
  const uint16_t *weight;
};

/* The backings of huge blocks, one number for each row of
   dl-hugetext-backings.def.  */
enum hugetext_way
{
#define HUGETEXT_CHOSEN_BACKING(id, ...) HUGETEXT_WAY_##id,
#define HUGETEXT_OTHER_BACKING(id, ...) HUGETEXT_WAY_##id,
#include "dl-hugetext-backings.def"
  HUGETEXT_WAYS
};

/* Return the word for the backing WAY, or "?" if WAY is invalid.  */
extern const char *hugetext_way_name (enum hugetext_way way) attribute_hidden;

/* Return true if a block with the backing WAY is a copy.  A copy uses memory
   of its process.  */
static inline bool
hugetext_is_copy (enum hugetext_way way)
{
  return way != HUGETEXT_WAY_FILE && way != HUGETEXT_WAY_STORE;
}

/* The possible states of a block, each with its reason.  Each row of
   dl-hugetext-reasons.def has a number, and so has each backing of a huge
   block.  No number stands for two reasons, whether the policy, the loader or
   the command hugetext reports the reason.  The loader's record stores the
   number of a block's reason in one byte.  */
enum hugetext_reason
{
#define HUGETEXT_NO_REASON(id, ...) HUGETEXT_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_VERDICTS, /* The number of the first verdict.  A verdict is a reason
                        for which the policy refuses a block.  */
  HUGETEXT_BEFORE_VERDICTS = HUGETEXT_VERDICTS - 1,
#define HUGETEXT_VERDICT(id, ...) HUGETEXT_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_OUTCOMES, /* The number of the first outcome.  An outcome is a
                        reason for which the loader has failed to make a block
                        huge.  */
  HUGETEXT_LAST_VERDICT = HUGETEXT_OUTCOMES - 1,
#define HUGETEXT_OUTCOME(id, ...) HUGETEXT_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_FINDINGS, /* The number of the first finding.  A finding is a reason
                        that only the command hugetext reports.  */
  HUGETEXT_LAST_OUTCOME = HUGETEXT_FINDINGS - 1,
#define HUGETEXT_FINDING(id, ...) REASON_##id,
#include "dl-hugetext-reasons.def"
  HUGETEXT_REASONS, /* The number of all reasons.  */
  HUGETEXT_HUGE = 192,
#define HUGETEXT_CHOSEN_BACKING(id, ...) \
  HUGETEXT_HUGE_##id = HUGETEXT_HUGE + HUGETEXT_WAY_##id,
#define HUGETEXT_OTHER_BACKING HUGETEXT_CHOSEN_BACKING
#include "dl-hugetext-backings.def"
};

_Static_assert((int) HUGETEXT_NONE == 0,
               "HUGETEXT_NONE is 0, so zeroed memory has this reason");
_Static_assert(
    (int) HUGETEXT_REASONS <= (int) HUGETEXT_HUGE,
    "the numbers of backings are greater than those of all reasons");
_Static_assert((int) HUGETEXT_HUGE + (int) HUGETEXT_WAYS <= UINT8_MAX + 1,
               "each enum hugetext_reason fits in a byte");

/* Return true if REASON says that the loader has made a block huge.  */
static inline bool
hugetext_is_made (enum hugetext_reason reason)
{
  return reason >= HUGETEXT_HUGE;
}

/* The two functions convert between a backing and the reason of a block that
   is huge by this backing.  hugetext_way_of returns the backing for REASON;
   hugetext_is_made must be true for REASON.  hugetext_huge_by returns the
   reason for the backing WAY.  */
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

/* Return true if REASON is a verdict, that is, a reason for which the policy
   leaves a block on small pages.  */
static inline bool
hugetext_is_verdict (enum hugetext_reason reason)
{
  return reason >= HUGETEXT_VERDICTS && reason < HUGETEXT_OUTCOMES;
}

/* Return true if REASON means that the block is beyond the cap.  */
static inline bool
hugetext_is_beyond_cap (enum hugetext_reason reason)
{
  return (reason == HUGETEXT_OVER_CAP || reason == HUGETEXT_KEPT_FREE
          || reason == HUGETEXT_COLD);
}

/* Return true if the loader keeps the kernel from mapping a block by a huge
   page of the block's file.  REASON is the reason why the loader does not make
   the block huge, and MAX the setting hugetext_max.  If MAX is 0, the cap is a
   number computed from the CPU: then the kernel may map blocks beyond the cap
   as it does under the stock loader (doc/experiments/venv).  */
static inline bool
hugetext_is_kept_small (enum hugetext_reason reason, uint64_t max)
{
  return max != 0 && hugetext_is_beyond_cap (reason);
}

/* Return a clause that explains REASON, or "" if REASON is neither a verdict
   of the policy nor an outcome of the loader.  */
extern const char *
hugetext_reason_text (enum hugetext_reason reason) attribute_hidden;

/* The answer to a question that the loader asks only once: not asked yet, no
   or yes.  */
enum hugetext_answer
{
  HUGETEXT_NOT_ASKED,
  HUGETEXT_NO,
  HUGETEXT_YES
};

/* The root, a struct in every process: the settings in force, and failures
   that concern all objects.  Other processes find the loader's record through
   this struct.  */
struct hugetext_root
{
  struct hugetext_record_head *head; /* The address of the record
                                        (dl-hugetext-record.h).  HEAD is NULL
                                        if the process has no record.  A
                                        process has no record if huge text is
                                        off, if no mapped object can gain from
                                        huge pages, or if the process is small
                                        and has no huge block.  */
  uint8_t text, code;   /* The member TEXT is 1 if text should be huge,
                           otherwise 0.  The member CODE is 1 if code made at
                           run time should be huge, otherwise 0.  */
  uint8_t no_gain;      /* HUGETEXT_YES (see enum hugetext_answer) if
                           transparent huge pages were off, so that no object
                           could have huge pages.  */
  uint8_t index_error;  /* The error number if the index could not be opened,
                           or 0.  */
  uint32_t image_error; /* The error number if an image in the store could not
                           be opened or mapped, or 0.  */
  /* The settings.  VALUE, indexed by enum hugetext_key, is valid if huge text
     or huge code is on.  FROM_TUNABLE has a bit for each setting that a
     tunable sets, FROM_INDEX for each setting that the index sets.  */
  uint32_t from_tunable, from_index;
  uint64_t value[HUGETEXT_VALUES];
  uint16_t small;    /* HUGETEXT_YES (see enum hugetext_answer) if the loader
                        left the program on small pages because it had too
                        little text at its start to gain from huge pages.  The
                        loader does not leave a small program on small pages if
                        a setting is for exactly this program.  */
  uint16_t no_slack; /* 1 if the objects of a small program have no slack
                        because address space is limited, otherwise 0.  */
  uint32_t code_left_alone; /* The reason (enum hugetext_code_reason in
                               hugetext-code.h) why the process does not track
                               code made at run time although CODE is 1.  */
  uint64_t attach_cap;      /* The maximum number of huge blocks that "hugetext
                               attach" or "hugetext adapt" allowed when it last
                               changed the process, or 0.  Only "hugetext
                               attach" and "hugetext adapt" write this
                               member.  */
  const struct hugetext_advice *advice; /* The index's settings for the
                                           program, or NULL if the index has
                                           none.  */
};

#endif /* dl-hugetext-names.h */
