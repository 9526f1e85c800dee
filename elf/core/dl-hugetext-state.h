/* The loader's state: the settings, the present attempt, the objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* is the present start or dlopen.  It begins with the first
   object that can gain, and ends when its objects are populated or closed.  In
   each attempt the loader finds out once what the kernel, a tracer or a filter
   permits.  It remembers for the rest of the process what the kernel has
   refused.  */

#ifndef _DL_HUGETEXT_STATE_H
#define _DL_HUGETEXT_STATE_H 1

#include <ldsodefs.h>

#include "dl-hugetext-ledger.h"
#include "dl-hugetext-placement.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-modules.h"
#include "dl-hugetext-sys.h"

/* The settings of this program, from tunables and index
   (dl-hugetext-settings.c).  */

/* What the index has for this program.  */
struct hugetext_contents
{
  const struct hugetext_advice *advice; /* The settings for this program, NULL
                                           if there are none.  */
  uint32_t given;                       /* A bit for each key that is set.  */
  bool named;                           /* The settings name the program.  */
  /* Facts for all programs:  */
  bool images;   /* The index has records of images in a store.  */
  bool heats;    /* The index has records of heat.  */
  uint8_t error; /* The error (errno) of opening the index, or 0.  */
};

struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process; 0 asks the CPU.  */
  enum hugetext_naming names;   /* Which objects keep their names.  */
  bool places_names;            /* Places let objects keep their names.  */
  bool rehearsal;               /* The start is a rehearsal.  */
  bool filtered;                /* It is of a start under a filter.  */
  bool steady;                  /* Addresses are not random (no ASLR).  */
  bool prctl;                   /* The user or the administrator says that the
                                   filter allows prctl.  */
  struct hugetext_contents has; /* The index's facts for all programs.  */
};

/* Read the settings of the program from tunables and index.  PHDR and AUXV are
   the program's headers and the auxiliary vector if the kernel has mapped the
   program, NULL if it is an argument of the loader.  The loader calls this
   function once, before it maps any object.  */
extern void _dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                                        const ElfW (auxv_t) * auxv)
    attribute_hidden attribute_every_start;

/* The root by which other processes find the record.  */
extern struct hugetext_root _dl_hugetext_root attribute_hidden;

/* The settings, which every process has.  Only _dl_hugetext_settings reads
   them, and the module code if the root says that code should be huge.  */
extern struct hugetext_settings _dl_hugetext_set attribute_hidden;

/* Return the settings, NULL if huge text is off in this process: if
   glibc.mem.hugetext lacks HUGETEXT_MODE_TEXT, if the process is AT_SECURE, or
   if the machine's huge pages are too large.  */
static inline const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_root.text) ? NULL : &_dl_hugetext_set);
}

/* A range of addresses.  */
struct hugetext_span
{
  uintptr_t start, end;
};

/* Buffers into which the loader reads files.  */
struct hugetext_scratch
{
  union
  {
    char text[4096];
    uint64_t entry[512]; /* Entries of /proc/self/pagemap.  */
    ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX];
    struct sys_region region[128];
  };
};

/* A file without huge pages, as found by a trial at a dlopen.  Files seldom
   change in this respect, and programs open the same libraries again and
   again, so the loader tries the file again after 1, 2, 4 and so on openings,
   at most 64.  */
struct hugetext_small_file
{
  struct hugetext_identity file;
  uint64_t digest;                     /* The digest of the object.  */
  struct hugetext_placement placement; /* The object's place.  */
  unsigned int wait; /* The openings between the last two trials.  */
  unsigned int left; /* The openings until the next trial.  */
};
#define HUGETEXT_SMALL_WAIT 64

/* The number of these files that the loader remembers.  */
#define HUGETEXT_SMALL_FILES 4

/* Facts that hold for the rest of the process.  The loader finds out each of
   them once, because each refusal may be a line in an audit log.  */
struct hugetext_findings
{
  enum hugetext_answer anonymous_text; /* Whether memory that was writable may
                                          become executable.  */
  enum hugetext_answer file_text;      /* The same of a memory file.  */
  enum hugetext_answer space;          /* Whether address space is unlimited,
                                          as far as is known.  */
  /* The kernel refuses to open these files of /proc.  */
  bool no_pagemap, no_memory, no_status, no_limits;
  bool no_scan;         /* The kernel does not say which pages are huge.  */
  unsigned int filters; /* The number of seccomp filters at the start, 0 if the
                           loader did not ask then.  */
  struct hugetext_small_file small[HUGETEXT_SMALL_FILES];
  unsigned int nsmall; /* The number of small files seen.  */
};

struct hugetext_attempt
{
  bool begun;
  int thread;         /* The ID of the thread that makes the attempt, or 0.  */
  bool start;         /* The attempt is the start of the process, without
                         auditors: there is one thread, and new mappings are as
                         mmap makes them (no mlockall).  */
  bool asked;         /* The loader has found out who watches the process:
                         MATTERED and TRACED are valid.  */
  bool mattered;      /* The answer affected more than how limits are read.  */
  bool traced;        /* A debugger may have set breakpoints, and has computed
                         the addresses of objects.  */
  bool thp_disabled;  /* prctl (PR_SET_THP_DISABLE) was called.  */
  bool exec_has_read; /* The loader is placing the program, and exec had to
                         read it from the disk.  */
  bool no_slack;      /* Address space is limited, or may be: use no more than
                         the stock loader does.  */
  bool little_data;   /* RLIMIT_DATA is set, or may be, and other threads may
                         need the rest.  */
  unsigned int failures;        /* Blocks in a row that did not become
                                   huge.  */
  enum hugetext_answer thp_off; /* Whether the administrator has switched
                                   transparent huge pages off.  */
  bool untouched;               /* New anonymous mappings have no pages.  At a
                                   start, when nothing locks memory, the loader
                                   tests this once.  */
  int pagemap;          /* A descriptor of /proc/self/pagemap, negative unless
                           open.  */
  int memory;           /* The same of /proc/self/mem.  */
  int pid;              /* The process ID, 0 if not known.  */
  unsigned int nimages; /* The number of images that are remembered.  */
  int first_open; /* The lowest descriptor of the images that are still open,
                     which are consecutive, and their number.  */
  unsigned int nopen;
  enum hugetext_answer looked; /* Whether the loader knows the places (below)
                                  of all objects of the start.  */
  unsigned int nplaces;        /* The number of places with private pages.  */
  size_t batch; /* The number of copies that the kernel made at once last time,
                   0 or 1 after a failure.  */
};

/* Blocks of an object's file that a trial has mapped, and that the kernel has
   mapped huge there, until they are moved over the text.  */
struct hugetext_kept
{
  uintptr_t staging;
  size_t nblocks;  /* 0 if no blocks are kept.  */
  uint64_t offset; /* The file offset of the first block.  */
};

/* The loader's record of an object.  Only an object with a block that might be
   huge has one.  */
struct hugetext_record
{
  struct hugetext_entry entry;  /* The part that other processes may read.  */
  struct hugetext_record *next; /* The next record in the state's list.  */
  struct link_map *map;         /* NULL if the object is the program, before it
                                   has a link map.  */
  /* The facts by which the loader opens the object's file again.  */
  const char *path;              /* The path by which the file was opened, NULL
                                    if the kernel mapped it.  The link map owns
                                    the string.  */
  struct hugetext_identity file; /* The identity at the time of mapping.  The
                                    loader uses it to check that the path still
                                    names the same file, and to find the file's
                                    image.  */
  uint64_t digest;               /* The digest of the object when placed.  */
  ElfW (Addr) low, high; /* The reserved address range, slack included; both 0
                            if nothing was reserved.  */
  ElfW (Addr) hint;      /* If not 0, the range is that of the object with this
                            load bias, and is not reserved yet.  */
  struct hugetext_charge charge;
  bool file_ruled_out; /* The file is not cached in huge pages, or the object's
                          place is not congruent to them.  */
  bool has_image;      /* The store is known to have an image of it.  */
  struct hugetext_kept kept;
  bool hopeless;  /* The object's file is small and no other backing is
                     allowed, as found at a dlopen.  */
  bool unopened;  /* The program's file has not been opened yet.  */
  bool populated; /* The loader has examined its blocks.  */
  bool lost;      /* The kernel has lost a part of the text, and the program
                     may have mapped something else there.  */
};

/* The number of records in the state itself.  Few programs need more.  */
#define HUGETEXT_RECORDS 8

/* The number of images that an attempt remembers.  */
#define HUGETEXT_IMAGES 16

/* The most places with private pages that a start remembers.  */
#define HUGETEXT_PLACES 64

/* The loader's state between the hooks: records, ledger and findings about the
   machine.  The state is one mapping, made when the first object is mapped and
   huge text is on, so that no other program pays for it; a small program
   releases it at the end of its start.  The loader's lock protects the state,
   as it protects the link maps.  */
struct hugetext_state
{
  /* The description of the present object, and its image's record.  The
     description is too large for the stack: a thread that opens a library may
     have little stack (PTHREAD_STACK_MIN is 16 KiB), and glibc needs most of
     it.  */
  struct hugetext_object object;
  const struct hugetext_index_image *image;
  struct hugetext_record_head head;
  struct hugetext_settings set;
  struct hugetext_ledger ledger;
  struct hugetext_findings findings;
  struct hugetext_attempt attempt;
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_record *records; /* Of objects, and spare ones.  */
  struct hugetext_record *spare;
  struct hugetext_record *more;    /* The first record of each page of more
                                      records; it is not used as a record.  */
  uintptr_t below;                 /* The address below which the next object
                                      goes (dl-hugetext-stretch.h), 0 if
                                      unknown.  */
  struct hugetext_ranking ranking; /* Scratch space.  */
  /* The members so far fit in two pages, without the ranking's part for heat,
     because each page that a start touches costs a microsecond.  Few starts
     touch the members below, of which each has pages of its own; the first
     places and images lie on one.  */
  struct hugetext_span place[HUGETEXT_PLACES] /* Where pages were private to
                                                 the process when the attempt
                                                 looked.  */
      __attribute__ ((aligned (4096)));
  /* The records of images that the attempt has looked for, so that placing an
     object and making its blocks need only one lookup.  */
  struct hugetext_index_image images[HUGETEXT_IMAGES];
  /* The contents of a small index, or the slots of a larger one.  */
  char index[8192] __attribute__ ((aligned (4096)));
  struct hugetext_scratch scratch;
};

/* The manual states this size: it is charged to the program's RLIMIT_DATA.  */
_Static_assert(sizeof (struct hugetext_state) <= 32768, "eight small pages");

/* The attempt, and its allowed calls (dl-hugetext-attempt.c, -probe.c).  */

/* Begin STATE's attempt, unless it has begun.  */
extern void _dl_hugetext_begin (struct hugetext_state *state) attribute_hidden;

/* Close the descriptors that the attempt's next step can reopen, because other
   code may run before that step.  */
extern void _dl_hugetext_pause (struct hugetext_state *state) attribute_hidden;

/* End the attempt if it has begun.  */
extern void _dl_hugetext_end (struct hugetext_state *state) attribute_hidden;

/* Return the attempt after finding out who watches the process (a tracer, a
   filter).  Callers ask only where the answer matters.  */
extern const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_state *state) attribute_hidden;

static inline bool
_dl_hugetext_traced (struct hugetext_state *state)
{
  return _dl_hugetext_ask (state)->traced;
}

/* Find out again in a dlopen with other threads, which may change the
   answer.  */
extern void
_dl_hugetext_ask_again (struct hugetext_state *state) attribute_hidden;

/* Whether STATE's attempt has LIBERTY.  */
static inline bool
_dl_hugetext_may (struct hugetext_state *state, enum hugetext_liberty liberty)
{
  _dl_hugetext_ask (state);
  return HUGETEXT_ALLOWED (liberty);
}

/* Whether the process may make system calls that neither malloc nor the
   mapping of a library makes.  */
static inline bool
_dl_hugetext_unfiltered (struct hugetext_state *state)
{
  return _dl_hugetext_may (state, HUGETEXT_ANY_CALL);
}

/* Whether the loader may ask for limits (prlimit64).  Every stock start asks
   for one, so a filter that ignores arguments allows the call then; a stock
   dlopen asks for none.  Where the loader may not ask, it reads
   /proc/self/limits.  */
static inline bool
_dl_hugetext_may_ask_limits (const struct hugetext_state *state)
{
  return HUGETEXT_ALLOWED (state->attempt.start ? HUGETEXT_ANY_ARGUMENT
                                                : HUGETEXT_ANY_CALL);
}

/* Return the ID of the process.  */
static inline int
_dl_hugetext_pid (struct hugetext_state *state)
{
  if (state->attempt.pid == 0)
    state->attempt.pid = sys_getpid ();
  return state->attempt.pid;
}

/* Whether anonymous memory that was writable may become executable.  The
   loader tests this once in a process, with one page: security modules log
   each refusal, and filling a block in vain takes half a millisecond.  */
extern bool
_dl_hugetext_may_anonymous (struct hugetext_state *state) attribute_hidden;

/* Whether transparent huge pages of a block's size are known to be switched
   off.  The kernel obeys the switch in page faults, but not when a process
   asks it to collapse pages (MADV_COLLAPSE).  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Close the images that are left open: at a start the loader closes many with
   one call.  */
extern void
_dl_hugetext_close_images (struct hugetext_state *state) attribute_hidden;

/* Whether the loader may ask the kernel to collapse pages: the opposite of
   _dl_hugetext_thp_off, read once in an attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_state *state) attribute_hidden;

/* Whether /proc/self/pagemap is open.  The loader tries to open it once in an
   attempt, and never again after a refusal.  */
extern bool
_dl_hugetext_has_pagemap (struct hugetext_state *state) attribute_hidden;

/* What a block's entries in /proc/self/pagemap prove where the kernel does not
   say which blocks are huge.  */
enum hugetext_evidence
{
  HUGETEXT_NO_EVIDENCE,
  HUGETEXT_IS_FILE,   /* The block maps a file.  */
  HUGETEXT_ONE_TOUCH, /* Anonymous memory, touched once before it had any
                         page.  */
};

/* Whether no page of the new anonymous mapping at START is present; then one
   touched page is evidence.  After mlockall (MCL_FUTURE) all pages are
   present.  False if /proc/self/pagemap cannot be read.  */
extern bool _dl_hugetext_untouched (struct hugetext_state *state,
                                    uintptr_t start) attribute_hidden;

/* Fault in the page at ADDRESS by a system call, which fails where an access
   would raise a signal.  False if that is impossible.  */
extern bool _dl_hugetext_touch (struct hugetext_state *state,
                                uintptr_t address) attribute_hidden;

/* For each of the NBLOCKS blocks from START, which are one mapping and at most
   as many as a run has, set HUGE to whether the kernel has mapped the block
   with a huge page.  If neither the kernel nor EVIDENCE tells, and COLLAPSE is
   true, the function may ask the kernel to collapse the blocks.  Return the
   number of huge blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_state *state,
                                  uintptr_t start, size_t nblocks,
                                  enum hugetext_evidence evidence,
                                  bool collapse, bool huge[]) attribute_hidden;

/* Whether a page in [START, END), which only this loader may have mapped, is
   private to the process.  This asks once for all pages, and at a start
   usually once for all objects; _dl_hugetext_has_private asks for each part of
   the object.  HUGETEXT_NOT_ASKED before Linux 6.7 and under a filter.  */
extern enum hugetext_answer
_dl_hugetext_scan_private (struct hugetext_state *state, uintptr_t start,
                           uintptr_t end) attribute_hidden;

/* Whether a page of STATE's object in [START, END), where its file is mapped,
   is private to the process because it was written.  In text that is not yet
   relocated this means a breakpoint, of a debugger or of the kernel (uprobes),
   or a change by an auditor (LD_AUDIT).  HUGETEXT_NOT_ASKED if the kernel
   cannot say.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end) attribute_hidden;

/* The files of objects (dl-hugetext-source.c).  */

/* Note in RECORD the facts by which the loader can open its object's file,
   open on FD, again.  */
extern void _dl_hugetext_note_file (struct hugetext_record *record,
                                    int fd) attribute_hidden;

/* Open the file of RECORD's object.  -1 if the path names another file.  */
extern int
_dl_hugetext_open_file (struct hugetext_state *state,
                        const struct hugetext_record *record) attribute_hidden;

/* Open the file of the program that the kernel has mapped.  -1 if the program
   headers in the file differ from those at PHDR.  */
extern int _dl_hugetext_open_program (struct hugetext_state *state,
                                      const ElfW (Phdr) * phdr,
                                      size_t phnum) attribute_hidden;

/* The state between the hooks (dl-hugetext-state.c).  */

/* Whether code of the program may run, that is, the program is relocated.  */
static inline bool
_dl_hugetext_program_runs (void)
{
  const struct link_map *program = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  return program != NULL && program->l_relocated;
}

/* Return the state, and make it if necessary.  NULL if there is no memory for
   it, or if no object can gain.  Callers call it only if huge text is on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* Return the state likewise, but do not check whether objects can gain: the
   process may turn out to be too small.  */
extern struct hugetext_state *_dl_hugetext_early_state (void) attribute_hidden;

/* Return the state, NULL if there is none yet.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Unmap STATE if the program is small and none of its text is huge: then it is
   not needed any more, and the root says why nothing is huge.  Such a program
   uses no more memory than under the stock loader.  AT_START says that the
   program does not run yet.  */
extern void _dl_hugetext_leave_state (struct hugetext_state *state,
                                      bool at_start) attribute_hidden;

/* Whether the process is too small to gain from huge pages, with MORE bytes of
   text in addition to those mapped.  */
extern bool _dl_hugetext_is_small (uintptr_t more) attribute_hidden;

/* Have the next call of _dl_hugetext_is_small count the text of all objects:
   one of them is going to be unmapped, and its link map freed.  */
extern void _dl_hugetext_count_again (void) attribute_hidden;

/* Return the record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state,
                   const struct link_map *l) attribute_hidden;

/* Return a new record for L, NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state,
                       struct link_map *l) attribute_hidden;

/* Unmap the blocks that are kept for RECORD.  */
extern void
_dl_hugetext_drop_kept (struct hugetext_state *state,
                        struct hugetext_record *record) attribute_hidden;

/* Unmap the kept blocks of all records, if there is a state.  */
extern void _dl_hugetext_drop_all_kept (void) attribute_hidden;

/* Free RECORD, and return its charge to the ledger.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
