/* What the loader knows: the settings, the present attempt, the objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* is the present start or dlopen.  It begins with the first
   object that can gain, and ends when its objects are populated or gone.  The
   loader finds out once for each attempt what the kernel, a tracer or a filter
   permits.  The loader remembers for the rest of the process what the kernel
   has refused.  */

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

/* What the index has.  */
struct hugetext_contents
{
  const struct hugetext_advice *advice; /* Settings for this program, NULL if
                                           it has none.  */
  uint32_t given;                       /* A bit for each key that it has.  */
  bool named;                           /* They name the program.  */
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
  enum hugetext_naming names;   /* Which objects keep their names.  */
  bool places_names;            /* Their places are chosen for that.  */
  bool rehearsal;               /* The start is a rehearsal,  */
  bool filtered;                /* of a start under a filter.  */
  bool steady;                  /* Addresses are not random (ASLR).  */
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
   the module code does if the root says that code is to be huge.  */
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
    uint64_t entry[512]; /* Of /proc/self/pagemap.  */
    ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX];
    struct sys_region region[64];
  };
};

/* A file that has no huge pages, by the trial of a dlopen.  Files change their
   state seldom, and programs open the same libraries again and again: so the
   file is tried again after 1, 2, 4 and so on openings, at last each 64.  */
struct hugetext_small_file
{
  struct hugetext_identity file;
  uint64_t digest;                     /* Of the object,  */
  struct hugetext_placement placement; /* which comes to this place.  */
  unsigned int wait; /* Openings between the last two trials,  */
  unsigned int left; /* and until the next one.  */
};
#define HUGETEXT_SMALL_WAIT 64

/* The number of these files that the loader remembers.  */
#define HUGETEXT_SMALL_FILES 4

/* Facts that hold for the rest of the process.  The loader asks for each of
   them once, because each refusal may be a line in an audit log.  */
struct hugetext_findings
{
  enum hugetext_answer anonymous_text; /* Memory that was writable may become
                                          executable,  */
  enum hugetext_answer file_text;      /* and so may a memory file.  */
  enum hugetext_answer space;          /* Address space is not limited, as far
                                          as is known.  */
  /* The kernel refuses these files of /proc.  */
  bool no_pagemap, no_memory, no_status, no_limits;
  bool no_scan;         /* It does not say which pages are huge.  */
  unsigned int filters; /* The number of seccomp filters of the start, 0 if the
                           loader has not asked then.  */
  struct hugetext_small_file small[HUGETEXT_SMALL_FILES];
  unsigned int nsmall; /* The number of such files seen.  */
};

struct hugetext_attempt
{
  bool begun;
  int thread;         /* The ID of the thread that makes the attempt, or 0.  */
  bool start;         /* The attempt is the start of the process, without
                         auditors: there is one thread, and all memory is as
                         mmap makes it.  */
  bool asked;         /* The loader has found out who watches the process: the
                         next two are known,  */
  bool mattered;      /* and something depended on it but how limits are read.
                       */
  bool traced;        /* A debugger may have set breakpoints, and
                         has computed where objects are.  */
  bool thp_disabled;  /* By prctl (PR_SET_THP_DISABLE).  */
  bool exec_has_read; /* The program is being placed, and exec had to read the
                         program from the disk.  */
  bool no_slack;      /* Address space is limited, or may be: take no more of
                         it than the stock loader takes.  */
  bool little_data;   /* RLIMIT_DATA is set, or may be, and other threads may
                         need what it leaves.  */
  unsigned int failures;        /* Number of blocks in a row without a huge
                                   page.  */
  enum hugetext_answer thp_off; /* Whether the administrator has switched
                                   transparent huge pages off.  */
  bool untouched;               /* New anonymous mappings have no pages.  At a
                                   start, where nothing locks memory, one
                                   answer holds for all.  */
  int pagemap;          /* /proc/self/pagemap, negative unless open,  */
  int memory;           /* and /proc/self/mem.  */
  int pid;              /* The ID of the process, 0 if nobody has asked.  */
  unsigned int nimages; /* The number of images looked for.  */
  int first_open; /* The descriptor of the first image that is open still,
                     and how many are, in a row.  */
  unsigned int nopen;
  enum hugetext_answer looked; /* Whether the next are known, of all objects of
                                  the start.  */
  unsigned int nplaces; /* The number of places where pages are the process's
                           alone.  */
  size_t batch; /* The number of copies that the kernel has made at once, 0 or
                   1 after a failure.  */
};

/* Blocks of an object's file that the trial has mapped, and that the kernel
   has huge there: they wait to be moved over the text.  */
struct hugetext_kept
{
  uintptr_t staging;
  size_t nblocks;  /* 0 if there are none.  */
  uint64_t offset; /* The offset of the first one in the file.  */
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
  ElfW (Addr) hint;      /* If not 0: the range is that around the object with
                            this load bias, and not reserved yet.  */
  struct hugetext_charge charge;
  bool file_ruled_out; /* The file is not cached in huge pages, or the object's
                          place does not fit them.  */
  bool has_image;      /* The store is known to have an image of it.  */
  struct hugetext_kept kept;
  bool hopeless;  /* That was found out at a dlopen, where no other
                     backing is allowed.  */
  bool unopened;  /* The program's file has not been opened yet.  */
  bool populated; /* The loader has looked at its blocks.  */
  bool lost;      /* The kernel has lost a part of the text, and the
                     program may have mapped something else there.  */
};

/* The number of records in the state itself.  Few programs need more.  */
#define HUGETEXT_RECORDS 8

/* The number of images that an attempt remembers.  */
#define HUGETEXT_IMAGES 8

/* The number of places that a start remembers of pages of its own.  */
#define HUGETEXT_PLACES 32

/* The state of the loader between the hooks: records, ledger and findings
   about the machine.  The state is one mapping, made when the first object is
   mapped and huge text is on, so that no other program pays for it; a small
   program gives it back at the end of its start.  The loader's lock guards the
   state, as it guards the link maps.  */
struct hugetext_state
{
  /* The description of the object at hand, and its image's record.  The
     description is too large for the stack: threads that open libraries may
     have little of it (PTHREAD_STACK_MIN is 16 KiB), and glibc needs most of
     that.  */
  struct hugetext_object object;
  const struct hugetext_index_image *image;
  struct hugetext_record_head head;
  struct hugetext_settings set;
  struct hugetext_ledger ledger;
  struct hugetext_findings findings;
  struct hugetext_attempt attempt;
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_record *records; /* Those of objects, and those that are
                                      spare.  */
  struct hugetext_record *spare;
  struct hugetext_record *more;    /* The first of each page of more records,
                                      which is not used.  */
  uintptr_t below;                 /* Where the next object goes
                                      (dl-hugetext-stretch.h), 0 if that is
                                      not known.  */
  struct hugetext_ranking ranking; /* Scratch.  */
  /* The members so far fit in two pages, without the ranking's part for heat:
     each page that a start touches costs it a microsecond.  Few starts touch
     the members that follow.  */
  struct hugetext_span place[HUGETEXT_PLACES]; /* Where pages of the process
                                                  alone were when the attempt
                                                  looked.  */
  struct hugetext_scratch scratch;
  /* The records of images that the attempt has looked for, so that placing an
     object and making its blocks take one look-up.  */
  struct hugetext_index_image images[HUGETEXT_IMAGES];
  /* The index, if it has few images.  */
  char index[8192];
};

/* The manual states this size: the program loses as many bytes of
   RLIMIT_DATA.  */
_Static_assert(sizeof (struct hugetext_state) <= 28672, "seven small pages");

/* The attempt, and the calls that it may make (dl-hugetext-attempt.c,
   -probe.c).  */

/* Begin STATE's attempt, unless it has begun.  */
extern void _dl_hugetext_begin (struct hugetext_state *state) attribute_hidden;

/* Close the descriptors that the attempt's next step can open again: code of
   others may run before that step.  */
extern void _dl_hugetext_pause (struct hugetext_state *state) attribute_hidden;

/* End the attempt if it has begun.  */
extern void _dl_hugetext_end (struct hugetext_state *state) attribute_hidden;

/* Return the attempt, in which it is known who watches the process (a tracer,
   a filter).  Callers ask only where the answer decides.  */
extern const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_state *state) attribute_hidden;

static inline bool
_dl_hugetext_traced (struct hugetext_state *state)
{
  return _dl_hugetext_ask (state)->traced;
}

/* Find out again if other threads may have changed it: in a dlopen, with other
   threads.  */
extern void
_dl_hugetext_ask_again (struct hugetext_state *state) attribute_hidden;

/* Whether STATE's attempt has LIBERTY.  */
static inline bool
_dl_hugetext_may (struct hugetext_state *state, enum hugetext_liberty liberty)
{
  _dl_hugetext_ask (state);
  return HUGETEXT_ALLOWED (liberty);
}

/* Whether the process may make system calls that mapping a library or malloc
   does not make.  */
static inline bool
_dl_hugetext_unfiltered (struct hugetext_state *state)
{
  return _dl_hugetext_may (state, HUGETEXT_ANY_CALL);
}

/* Whether the loader may ask for limits (prlimit64).  Every stock start asks
   for one, so a filter that looks at no arguments allows it then; a stock
   dlopen asks for none.  Where the loader may not ask, /proc/self/limits
   tells.  */
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
   loader finds out once in a process, with one page: security modules log each
   refusal, and filling a block in vain takes half a millisecond.  */
extern bool
_dl_hugetext_may_anonymous (struct hugetext_state *state) attribute_hidden;

/* Whether transparent huge pages of a block's size are known to be switched
   off.  The kernel obeys that switch in page faults, but not when it is asked
   to collapse pages (MADV_COLLAPSE).  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Whether the kernel may be asked to collapse pages: _dl_hugetext_thp_off
   denied, read once an attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_state *state) attribute_hidden;

/* Whether /proc/self/pagemap is open.  The loader tries to open it once an
   attempt, and never again if it is refused.  */
extern bool
_dl_hugetext_has_pagemap (struct hugetext_state *state) attribute_hidden;

/* What a block's pages in /proc/self/pagemap are evidence of, where the kernel
   does not say which blocks are huge.  */
enum hugetext_evidence
{
  HUGETEXT_NO_EVIDENCE,
  HUGETEXT_IS_FILE,   /* The block maps a file.  */
  HUGETEXT_ONE_TOUCH, /* It is anonymous memory, had no page, and was touched
                         once.  */
};

/* Whether no page of the anonymous mapping at START, just made, is present:
   evidence as soon as one page is touched.  After mlockall (MCL_FUTURE) all
   pages are present.  False if /proc/self/pagemap cannot be read.  */
extern bool _dl_hugetext_untouched (struct hugetext_state *state,
                                    uintptr_t start) attribute_hidden;

/* Fault in the page at ADDRESS by a system call, which fails where an access
   would raise a signal.  False if that is not possible.  */
extern bool _dl_hugetext_touch (struct hugetext_state *state,
                                uintptr_t address) attribute_hidden;

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping
   and at most as many as a run has, to whether the kernel has mapped the block
   with a huge page.  If neither the kernel nor EVIDENCE tells, the kernel may
   be asked to COLLAPSE the blocks.  Return the number of huge blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_state *state,
                                  uintptr_t start, size_t nblocks,
                                  enum hugetext_evidence evidence,
                                  bool collapse, bool huge[]) attribute_hidden;

/* Whether a page in [START, END), all of which is mapped by this loader or by
   nobody, belongs to the process alone.  One question for all pages, where
   _dl_hugetext_has_private has one for each part of the object, and at a start
   one for all objects, as a rule; HUGETEXT_NOT_ASKED before Linux 6.7 and
   under a filter.  */
extern enum hugetext_answer
_dl_hugetext_scan_private (struct hugetext_state *state, uintptr_t start,
                           uintptr_t end) attribute_hidden;

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

/* The same, but do not ask whether objects can gain: the process may turn out
   to be too small to.  */
extern struct hugetext_state *_dl_hugetext_early_state (void) attribute_hidden;

/* Return the state if there is one already.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Give STATE back if the program is small and nothing of it is huge: nothing
   in it is needed any more, and the root says why nothing is huge.  Such a
   program has no more memory of its own than under the stock loader. AT_START:
   it does not run yet.  */
extern void _dl_hugetext_leave_state (struct hugetext_state *state,
                                      bool at_start) attribute_hidden;

/* Whether the process, with MORE bytes of text than are mapped, is too small
   to gain from huge pages.  */
extern bool _dl_hugetext_is_small (uintptr_t more) attribute_hidden;

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

/* Unmap those of all records of the state, if there is one.  */
extern void _dl_hugetext_drop_all_kept (void) attribute_hidden;

/* Free RECORD, and return its charge to the ledger.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
