/* What the loader knows: the settings, the present attempt, the objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* is the present start or dlopen.  It begins with the first
   object that can gain, and ends when its objects are populated or gone.  The
   loader finds out once for each attempt what the kernel, a tracer or a filter
   permits; at a start it does so when a decision first depends on the answer.
   The loader remembers for the rest of the process what the kernel has
   refused.  */

#ifndef _DL_HUGETEXT_STATE_H
#define _DL_HUGETEXT_STATE_H 1

#include <ldsodefs.h>

#include "dl-hugetext-ledger.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-rooms.h"

/* The settings of this program, from tunables and index
   (dl-hugetext-settings.c).  */

/* What the index has.  */
struct hugetext_contents
{
  const struct hugetext_advice *advice; /* Settings for this program, NULL if
                                           it has none.  */
  uint32_t given;                       /* A bit for each key that it has.  */
  /* Facts for all programs:  */
  bool images;   /* Records of images in a store.  */
  bool heats;    /* Records of heat.  */
  uint8_t error; /* The error (errno) with which it could not be opened, or
                    0.  */
};

struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process; 0 asks the CPU.  */
  bool rehearsal;               /* The start is a rehearsal.  */
  bool prctl;                   /* The user or the administrator says that the
                                   filter allows prctl.  */
  struct hugetext_contents has; /* The index's facts for all programs.  */
};

/* Read the settings of the program from tunables and index.  PHDR and AUXV are
   its program headers and the auxiliary vector if the kernel has mapped it,
   NULL if it is an argument of the loader.  The loader calls this function
   once, before it maps any object.  */
extern void _dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                                        const ElfW (auxv_t) * auxv)
    attribute_hidden attribute_every_start;

/* The root by which other processes find the record.  */
extern struct hugetext_root _dl_hugetext_root attribute_hidden;

/* The settings, which every process has.  The next function reads them, and
   the room code does if the root says that code is to be huge.  */
extern struct hugetext_settings _dl_hugetext_set attribute_hidden;

/* Return the settings, NULL if huge text is off in this process: if
   glibc.mem.hugetext lacks HUGETEXT_MODE_TEXT, if the process is AT_SECURE, or
   if the machine's huge pages are too large.  */
static inline const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_root.text) ? NULL : &_dl_hugetext_set);
}

/* Buffers into which the loader reads files.  */
struct hugetext_scratch
{
  union
  {
    char text[4096];
    uint64_t entry[512]; /* Of /proc/self/pagemap.  */
    ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX];
  };
};

/* Facts that hold for the rest of the process.  The loader asks for each of
   them once, because each refusal may be a line in an audit log.  */
struct hugetext_lessons
{
  enum hugetext_answer anonymous_text; /* Memory that was writable may become
                                          executable,  */
  enum hugetext_answer file_text;      /* and so may a memory file.  */
  enum hugetext_answer space;          /* Address space is not limited, as far
                                          as is known.  */
  /* The kernel refuses these files of /proc.  */
  bool no_pagemap, no_status, no_limits;
};

struct hugetext_attempt
{
  bool begun;
  int thread;         /* The ID of the thread that makes the attempt, or 0.  */
  bool start;         /* The attempt is the start of the process, without
                         auditors: there is one thread, and all memory is as
                         mmap makes it.  */
  bool asked;         /* The loader has found out who watches the process: the
                         next three are known.  */
  bool filtered;      /* A seccomp filter may kill for calls that mapping a
                         library or malloc does not make.  Also set if there
                         are other threads: each of them may install a filter
                         for all at any moment.  */
  bool traced;        /* A debugger may have set breakpoints, and
                         has computed where objects are.  */
  bool thp_disabled;  /* By prctl (PR_SET_THP_DISABLE).  */
  bool exec_has_read; /* The program is being placed, and exec had to read the
                         program from the disk.  */
  bool no_slack;      /* Address space is limited, or may be: take no more of
                         it than the stock loader takes.  */
  bool little_data;   /* RLIMIT_DATA is set, or may be, and other threads may
                         need what it leaves.  */
  unsigned int failures;        /* Number of blocks without a huge page.  */
  enum hugetext_answer thp_off; /* Whether the administrator has switched
                                   transparent huge pages off.  */
  bool untouched;               /* New mappings have no pages.  At a start,
                                   where nothing locks memory, one answer
                                   holds for all.  */
  int pagemap; /* /proc/self/pagemap, negative unless open.  */
};

/* The loader's record of an object.  Only an object with a block that might be
   huge has one.  */
struct hugetext_record
{
  struct hugetext_entry entry;  /* The part that other processes may read.  */
  struct hugetext_record *next; /* In a list of the state's.  */
  struct link_map *map;         /* NULL: the program, before it has one.  */
  /* The facts by which the loader opens the object's file again.  */
  const char *path;              /* The path by which the file was opened, NULL
                                    if the kernel mapped it.  The link map owns
                                    the string.  */
  struct hugetext_identity file; /* The identity at the time of mapping: the
                                    loader checks by it that the path still
                                    leads to the same file, and finds the
                                    file's image.  */
  uint64_t digest;       /* Digest of the object's description when it was
                            placed.  */
  ElfW (Addr) low, high; /* Reserved address range, slack included;
                            both 0 if nothing was reserved.  */
  struct hugetext_charge charge;
  bool file_ruled_out; /* The file is not cached in huge pages, or the object's
                          place does not fit them.  */
  bool populated;      /* The loader has looked at its blocks.  */
  bool lost;           /* The kernel has lost a part of the text, and the
                          program may have mapped something else there.  */
};

/* The number of records in the state itself.  Few programs need more.  */
#define HUGETEXT_RECORDS 8

/* The state of the loader between the hooks: records, ledger and lessons about
   the machine.  The state is one mapping, made when the first object is mapped
   and huge text is on, so that no other program pays for it.  The loader's
   lock guards the state, as it guards the link maps.  */
struct hugetext_state
{
  /* The description of the object at hand, and its image's record.  The
     description is too large for the stack: threads that open libraries may
     have little of it (PTHREAD_STACK_MIN is 16 KiB), and glibc needs most of
     that.  */
  struct hugetext_object object;
  struct hugetext_index_image image;
  struct hugetext_record_head head;
  struct hugetext_settings set;
  struct hugetext_ledger ledger;
  struct hugetext_lessons lessons;
  struct hugetext_attempt attempt;
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_record *records; /* Those of objects, and those that are
                                      spare.  */
  struct hugetext_record *spare;
  uintptr_t next_below;            /* Where room is likely below: the last
                                      object that was reserved, or the end of
                                      a higher one that has gone; first the
                                      state.  */
  struct hugetext_ranking ranking; /* Scratch.  */
  /* The members so far fit in two pages, without the ranking's part for heat:
     each page that a start touches costs it a microsecond.  Few starts touch
     the members that follow.  */
  struct hugetext_scratch scratch;
};

/* The manual states this size: the program loses as many bytes of
   RLIMIT_DATA.  */
_Static_assert(sizeof (struct hugetext_state) <= 16384, "four small pages");

/* The attempt, and the calls that it may make (dl-hugetext-attempt.c,
   -probe.c).  */

/* Begin STATE's attempt, unless it has begun.  */
extern void _dl_hugetext_begin (struct hugetext_state *state) attribute_hidden;

/* Close the descriptors that the attempt's next step can open again: code of
   others may run before that step.  */
extern void _dl_hugetext_pause (struct hugetext_state *state) attribute_hidden;

/* End the attempt if it has begun.  */
extern void _dl_hugetext_end (struct hugetext_state *state) attribute_hidden;

/* Find out who watches the process (a tracer, a filter), unless that is known,
   and return the attempt.  For a small program the question takes a tenth of
   the loader's work at a start, so callers ask only where the answer decides.
 */
extern const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_state *state) attribute_hidden;

static inline bool
_dl_hugetext_traced (struct hugetext_state *state)
{
  return _dl_hugetext_ask (state)->traced;
}

/* Whether the process may make system calls that mapping a library or malloc
   does not make.  */
static inline bool
_dl_hugetext_unfiltered (struct hugetext_state *state)
{
  return !_dl_hugetext_ask (state)->filtered;
}

/* Whether the loader may ask for limits (getrlimit).  Every stock start asks
   for one limit; a stock dlopen asks for none, and a filter that was installed
   after the start may kill for that call.  */
static inline bool
_dl_hugetext_may_ask_limits (const struct hugetext_state *state)
{
  return state->attempt.start || !state->attempt.filtered;
}

/* Whether anonymous memory that was writable may become executable.  The
   loader finds out once in a process, with one page: security modules log each
   refusal, and filling a block in vain takes half a millisecond.  */
extern bool
_dl_hugetext_may_anonymous (struct hugetext_state *state) attribute_hidden;

/* Whether transparent huge pages of a block's size are known to be switched
   off.  The kernel obeys that switch in page faults, but not when it is asked
   to gather pages (MADV_COLLAPSE).  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Whether the kernel may be asked to gather pages: _dl_hugetext_thp_off
   denied, read once an attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_state *state) attribute_hidden;

/* Whether no page of the mapping at START, just made, is present, so that the
   pages present after a touch tell whether a block is huge.  After mlockall
   (MCL_FUTURE) all pages are present.  False if /proc/self/pagemap cannot be
   read.  */
extern bool _dl_hugetext_untouched (struct hugetext_state *state,
                                    uintptr_t start) attribute_hidden;

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping,
   to whether the kernel has mapped the block with a huge page.  UNTOUCHED is
   the answer of _dl_hugetext_untouched before one small page of each block was
   touched.  If that is false, the kernel may be asked to GATHER the blocks.
   Return the number of huge blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_state *state,
                                  uintptr_t start, size_t nblocks,
                                  bool untouched, bool gather,
                                  bool huge[]) attribute_hidden;

/* Whether a page of STATE's object in [START, END), as far as its file is
   mapped there, belongs to the process alone, because it was written.  In text
   that is not yet relocated that is a breakpoint, of a debugger or of the
   kernel (uprobes), or a change by an auditor (LD_AUDIT).  HUGETEXT_NOT_ASKED
   if the kernel cannot say.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end) attribute_hidden;

/* The files of objects (dl-hugetext-source.c).  */

/* Note in RECORD the facts by which its object's file, open on FD, can be
   opened again.  */
extern void _dl_hugetext_note_file (struct hugetext_record *record,
                                    int fd) attribute_hidden;

/* Open the file of RECORD's object. -1 if the path does not lead to that file
   any more.  */
extern int
_dl_hugetext_open_file (struct hugetext_state *state,
                        const struct hugetext_record *record) attribute_hidden;

/* Open the file of the program that the kernel has mapped. -1 if the file's
   headers are not PHDR.  */
extern int _dl_hugetext_open_program (struct hugetext_state *state,
                                      const ElfW (Phdr) * phdr,
                                      size_t phnum) attribute_hidden;

/* What is kept between the hooks (dl-hugetext-state.c).  */

/* Whether code of the program may run: it is relocated.  Before, it is mapped
   or not.  */
static inline bool
_dl_hugetext_program_runs (void)
{
  const struct link_map *program = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  return program != NULL && program->l_relocated;
}

/* Return the state, and make it if there is none yet.  NULL if there is no
   memory for it, or if no object can gain from it.  Callers call it only when
   huge text is on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* Return the state if there is one already.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Return the record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state,
                   const struct link_map *l) attribute_hidden;

/* Return a new record for L, NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state,
                       struct link_map *l) attribute_hidden;

/* Free RECORD, and return its charge to the ledger.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
