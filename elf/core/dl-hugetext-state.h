/* The loader's state: the settings, the present attempt, the objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* is the present start or dlopen.  The attempt begins with the
   first object that can gain, and ends when its objects are populated or
   closed.  In each attempt the loader finds out once what the kernel, a tracer
   or a filter permits.  The loader remembers for the rest of the process what
   the kernel has refused.  */

#ifndef _DL_HUGETEXT_STATE_H
#define _DL_HUGETEXT_STATE_H 1

#include <ldsodefs.h>

#include "dl-hugetext-ledger.h"
#include "dl-hugetext-placement.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-modules.h"
#include "dl-hugetext-reopen.h"
#include "dl-hugetext-sys.h"

/* The settings of the program, from tunables and index
   (dl-hugetext-settings.c).  */

/* The index's contents that concern the program.  */
struct hugetext_contents
{
  const struct hugetext_advice *advice; /* The settings for the program, or
                                           NULL if there are none.  */
  uint32_t given;                       /* A bit for each key that is set.  */
  bool named;                           /* The settings name the program.  */
  /* The following facts concern all programs:  */
  bool images;   /* The index has records of images in a store.  */
  bool heats;    /* The index has records of heat.  */
  uint8_t error; /* The error (errno) of opening the index, or 0.  */
};

struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  uintptr_t pad_threshold;      /* The minimum bytes of text in an edge
                                   block.  */
  size_t cap;                   /* The maximum number of blocks of a process.
                                   0 means that the CPU determines it.  */
  enum hugetext_naming names;   /* Which objects keep their names.  */
  bool places_names;            /* Objects are placed so that they can keep
                                   their names.  */
  bool rehearsal;               /* The start is a dry run.  */
  bool filtered;                /* The dry run stands for a start under a
                                   filter.  */
  bool steady;                  /* Addresses are not random (no ASLR).  */
  bool prctl;                   /* The user or the administrator says that the
                                   filter allows prctl.  */
  struct hugetext_contents has; /* The index's contents that concern the
                                   program.  */
};

/* Read the settings of the program from tunables and index.  If the kernel has
   mapped the program, PHDR and AUXV are the program's headers and the
   auxiliary vector.  If the program is an argument of the loader, both are
   NULL.  The loader calls this function once, before it maps any object.  */
extern void _dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                                        const ElfW (auxv_t) * auxv)
    attribute_hidden attribute_every_start;

/* The root, by which other processes find the record.  */
extern struct hugetext_root _dl_hugetext_root attribute_hidden;

/* The settings, which every process has.  _dl_hugetext_settings returns them
   only if huge text is on; the modules code, handover and rehearsal read them
   even if it is off.  */
extern struct hugetext_settings _dl_hugetext_set attribute_hidden;

/* Return the settings, or NULL if huge text is off in this process.  Huge text
   is off if glibc.mem.hugetext lacks HUGETEXT_MODE_TEXT, if the process is
   AT_SECURE, or if the machine's huge pages are too large.  */
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

/* Facts that hold for the rest of the process.  The loader finds out each fact
   once, because each refusal may be a line in an audit log.  */
struct hugetext_findings
{
  enum hugetext_answer anonymous_text; /* Whether memory that was writable may
                                          become executable.  */
  enum hugetext_answer file_text;      /* Whether a memfd may be mapped
                                          executable.  */
  enum hugetext_answer space;          /* Whether address space is unlimited,
                                          as far as the loader knows.  */
  /* The kernel refuses to open the files pagemap, mem, status or limits of
     /proc/self.  */
  bool no_pagemap, no_memory, no_status, no_limits;
  bool no_scan;         /* The kernel does not say which pages are huge.  */
  unsigned int filters; /* The number of seccomp filters at the start, or 0 if
                           the loader did not ask during the start.  */
  struct hugetext_small_file small[HUGETEXT_SMALL_FILES];
  unsigned int nsmall; /* The number of files without huge pages found.  */
};

struct hugetext_attempt
{
  bool begun;
  int thread;         /* The ID of the thread that makes the attempt, or 0.  */
  bool start;         /* The attempt is the start of the process, and no
                         auditor has been loaded yet.  There is one thread, and
                         new mappings are as mmap makes them (no mlockall).  */
  bool asked;         /* MATTERED and TRACED are valid.  */
  bool mattered;      /* Tracers or filters affected a decision of the attempt,
                         not only how limits are read.  */
  bool traced;        /* A debugger may have set breakpoints, and has computed
                         the addresses of objects.  */
  bool told;          /* The kernel has told of tracers and filters; otherwise
                         the loader assumes both.  */
  bool foreign;       /* Another process opens the thread's files.  */
  bool thp_disabled;  /* prctl (PR_SET_THP_DISABLE) was called.  */
  bool exec_has_read; /* The loader is placing the program, and exec had to
                         read the program from the disk.  */
  bool no_slack;      /* Address space is limited, or may be.  Use no more
                         address space than the stock loader does.  */
  bool little_data;   /* RLIMIT_DATA is set, or may be.  Other threads may need
                         the rest of the limit.  */
  unsigned int failures;        /* The number of successive blocks that did not
                                   become huge.  */
  enum hugetext_answer thp_off; /* Whether the administrator has switched
                                   transparent huge pages off.  */
  bool untouched;               /* New anonymous mappings have no pages.
                                   During a start, when nothing locks memory,
                                   the loader tests this once.  */
  int pagemap;          /* A descriptor of /proc/self/pagemap.  Negative if not
                           open.  */
  int memory;           /* A descriptor of /proc/self/mem.  Negative if not
                           open.  */
  int pid;              /* The process ID, or 0 if unknown.  */
  unsigned int nimages; /* The number of images in the state.  */
  int first_open; /* FIRST_OPEN is the lowest descriptor of the images that are
                     still open, NOPEN the number of images.  The descriptors
                     are consecutive.  */
  unsigned int nopen;
  enum hugetext_answer looked; /* Whether PLACE lists the private pages of all
                                  objects of the start.  */
  unsigned int nplaces;        /* The number of ranges in PLACE.  */
  size_t batch; /* The number of copies in the next batch.  0 at the beginning,
                   1 after a failure.  */
};

/* Blocks of an object's file that a trial has mapped.  They stay mapped until
   the loader moves them over the text.  */
struct hugetext_kept
{
  uintptr_t staging;
  size_t nblocks;  /* 0 if no blocks are kept.  */
  uint64_t offset; /* The file offset of the first block.  */
};

/* The loader's record of an object.  Only an object with a block that might be
   huge has a record.  */
struct hugetext_record
{
  struct hugetext_entry entry;  /* The part that other processes may read.  */
  struct hugetext_record *next; /* The next record in the list of the
                                   state.  */
  struct link_map *map;         /* NULL if the object is the program and has no
                                   link map yet.  */
  /* With the following facts the loader opens the object's file again.  */
  const char *path;              /* The path by which the file was opened, or
                                    NULL if the kernel mapped it.  The link map
                                    owns the string.  */
  struct hugetext_identity file; /* The file's identity when it was mapped.  By
                                    the identity, the loader checks that the
                                    path still names the same file, and finds
                                    the file's image.  */
  uint64_t digest;               /* The digest of the object when it was
                                    placed.  */
  ElfW (Addr) hint; /* If not 0, the load bias for which the entry's LOW and
                       HIGH were chosen; they are not reserved yet.  */
  struct hugetext_charge charge;
  bool file_ruled_out; /* The file is not cached in huge pages, or the object's
                          address is not congruent to them.  */
  bool has_image;      /* The store is known to have an image of the object's
                          file.  */
  struct hugetext_kept kept;
  bool hopeless; /* The object's file has no huge pages for it and no other
                    backing is allowed, as found during a dlopen.  */
  enum hugetext_answer looks_for_path; /* See HUGETEXT_LOOKS_FOR_PATH.  */
  bool unopened;  /* The program's file has not been opened yet.  */
  bool populated; /* The loader has examined the object's blocks.  */
  bool lost;      /* The kernel has lost a part of the text, and the program
                     may have mapped something else there.  */
};

/* The number of records in the state itself.  Few programs need more.  */
#define HUGETEXT_RECORDS 8

/* The number of images that an attempt remembers.  */
#define HUGETEXT_IMAGES 16

/* The maximum number of ranges with private pages that a start remembers.  */
#define HUGETEXT_PLACES 64

/* The loader's state between the hooks: records, ledger and findings about the
   machine.  The state is one mapping, made when huge text is on and the first
   object is mapped, so that other programs do not pay for it.  A small program
   releases the state at the end of its start.  The loader's lock protects the
   state, as it protects the link maps.  */
struct hugetext_state
{
  /* The description of the present object, and the record of its image.  The
     description is too large for the stack.  A thread that opens a library may
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
  struct hugetext_record *records; /* The records of objects, and the unused
                                      records.  */
  struct hugetext_record *spare;
  struct hugetext_record *more;    /* The list of additional pages of records.
                                      The first record of a page links the
                                      pages and describes no object.  */
  uintptr_t below;                 /* The address below which the next object
                                      goes (dl-hugetext-stretch.h), or 0 if
                                      unknown.  */
  struct hugetext_ranking ranking; /* Scratch space.  */
  /* The members so far fit in two pages, without the ranking's part for heat,
     because each page that a start touches costs a microsecond.  Few starts
     touch the members below.  The members below have pages of their own,
     except that the first ranges and images share a page.  */
  struct hugetext_span place[HUGETEXT_PLACES] /* Ranges of pages that were
                                                 private to the process when
                                                 the attempt scanned them.  */
      __attribute__ ((aligned (4096)));
  /* The records of images that the attempt has looked up.  With them, placing
     an object and making its blocks need only one lookup.  */
  struct hugetext_index_image images[HUGETEXT_IMAGES];
  /* The contents of a small index, or the end of a larger one.  */
  char index[8192] __attribute__ ((aligned (4096)));
  struct hugetext_scratch scratch;
};

/* The manual states this size, which counts for the program's RLIMIT_DATA.  */
_Static_assert(sizeof (struct hugetext_state) <= 32768, "eight small pages");

/* The attempt, and the calls that it may make (dl-hugetext-attempt.c,
   -probe.c).  */

/* Forget an attempt of STATE that is not this process's, but of the parent
   from which this process was forked.  */
extern void
_dl_hugetext_notice_fork (struct hugetext_state *state) attribute_hidden;

/* Begin STATE's attempt, unless it has begun.  */
extern void _dl_hugetext_begin (struct hugetext_state *state) attribute_hidden;

/* Close the descriptors that the attempt's next step can open again, because
   other code may run before that step.  */
extern void _dl_hugetext_pause (struct hugetext_state *state) attribute_hidden;

/* End the attempt if it has begun.  */
extern void _dl_hugetext_end (struct hugetext_state *state) attribute_hidden;

/* Return the attempt, after finding out about tracers and filters of the
   process.  Callers use this function only where tracers or filters affect a
   decision.  */
extern const struct hugetext_attempt *
_dl_hugetext_ask (struct hugetext_state *state) attribute_hidden;

static inline bool
_dl_hugetext_traced (struct hugetext_state *state)
{
  return _dl_hugetext_ask (state)->traced;
}

/* Find out again about tracers and filters, in a dlopen with other threads,
   which may have added one.  */
extern void
_dl_hugetext_ask_again (struct hugetext_state *state) attribute_hidden;

/* Whether STATE's attempt may make the calls that LIBERTY allows.  */
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

/* Whether the loader may query limits by prlimit64.  Every start under the
   stock loader calls prlimit64, so a filter that ignores arguments allows the
   call then.  A dlopen under the stock loader does not call it.  If this
   function returns false, the loader reads /proc/self/limits.  */
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
   loader tests one page, once in a process, because security modules log each
   refusal.  Without the test the loader would fill a block in half a
   millisecond before the refusal.  */
extern bool
_dl_hugetext_may_anonymous (struct hugetext_state *state) attribute_hidden;

/* Whether transparent huge pages of a block's size are known to be switched
   off.  In page faults the kernel obeys the switch, but not in MADV_COLLAPSE,
   by which a process asks it to collapse pages.  */
extern bool
_dl_hugetext_thp_off (const struct hugetext_geometry *geo) attribute_hidden;

/* Close the images that are still open.  During a start the loader closes many
   images with one call.  */
extern void
_dl_hugetext_close_images (struct hugetext_state *state) attribute_hidden;

/* Whether the loader may ask the kernel to collapse pages, because transparent
   huge pages are not switched off.  The loader reads the switch once in an
   attempt.  */
extern bool
_dl_hugetext_may_collapse (struct hugetext_state *state) attribute_hidden;

/* Whether /proc/self/pagemap is open.  The loader tries to open the file once
   in an attempt, and never again after a refusal.  */
extern bool
_dl_hugetext_has_pagemap (struct hugetext_state *state) attribute_hidden;

/* The conclusions that a block's entries in /proc/self/pagemap allow, if the
   kernel does not say which blocks are huge.  */
enum hugetext_evidence
{
  HUGETEXT_NO_EVIDENCE,
  HUGETEXT_IS_FILE,   /* The block maps a file.  */
  HUGETEXT_ONE_TOUCH, /* Anonymous memory that had no page before one
                         touch.  */
};

/* Whether no page of the new anonymous mapping at START is present, so that
   one touched page is evidence.  After mlockall (MCL_FUTURE) all pages are
   present.  Return false if /proc/self/pagemap cannot be read.  */
extern bool _dl_hugetext_untouched (struct hugetext_state *state,
                                    uintptr_t start) attribute_hidden;

/* Fault in the page at ADDRESS by a system call, which fails where an access
   would raise a signal.  Return false if the page cannot be faulted in.  */
extern bool _dl_hugetext_touch (struct hugetext_state *state,
                                uintptr_t address) attribute_hidden;

/* Find out which of the NBLOCKS blocks from START the kernel has mapped with
   huge pages, set HUGE, and return the number of huge blocks.  The blocks lie
   in one mapping.  There are at most HUGETEXT_RUN_MAX of them.  If neither the
   kernel nor EVIDENCE gives the answer, and COLLAPSE is true, the function may
   ask the kernel to collapse the blocks.  */
extern size_t _dl_hugetext_probe (struct hugetext_state *state,
                                  uintptr_t start, size_t nblocks,
                                  enum hugetext_evidence evidence,
                                  bool collapse, bool huge[]) attribute_hidden;

/* Whether a page in [START, END) is private to the process.  Only this loader
   may have mapped the range.  The function asks the kernel once for the range,
   and at a start usually once for all objects.  Return HUGETEXT_NOT_ASKED
   before Linux 6.7 and under a filter.  */
extern enum hugetext_answer
_dl_hugetext_scan_private (struct hugetext_state *state, uintptr_t start,
                           uintptr_t end) attribute_hidden;

/* Whether a page of STATE's object in [START, END), where its file is mapped,
   is private to the process because it was written.  In text that is not yet
   relocated, a private page means a breakpoint of a debugger or of the kernel
   (uprobe), or a change by an auditor (LD_AUDIT).  The function asks the
   kernel once for each segment, and where that fails, reads the entry of each
   page.  Return HUGETEXT_NOT_ASKED if the kernel cannot say.  */
extern enum hugetext_answer
_dl_hugetext_has_private (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end) attribute_hidden;

/* The files of objects (dl-hugetext-source.c).  */

/* If the stock loader has just found the identity of the file FD, which it
   maps as L, return the identity, else NULL.  For a program the stock loader
   does not ask the kernel.  */
extern const struct hugetext_identity *
_dl_hugetext_asked_file (const struct link_map *l, int fd) attribute_hidden;

/* Note in RECORD the facts by which the loader can open the object's file
   again.  The file is open on FD.  */
extern void _dl_hugetext_note_file (struct hugetext_record *record,
                                    int fd) attribute_hidden;

/* Open the file of RECORD's object.  Return -1 if the path names another
   file.  */
extern int
_dl_hugetext_open_file (struct hugetext_state *state,
                        const struct hugetext_record *record) attribute_hidden;

/* Open the file of the program that the kernel has mapped.  Return -1 if the
   program headers in the file differ from those at PHDR.  */
extern int _dl_hugetext_open_program (struct hugetext_state *state,
                                      const ElfW (Phdr) * phdr,
                                      size_t phnum) attribute_hidden;

/* The state between the hooks (dl-hugetext-state.c).  */

/* Whether code of the program may run, because the program is relocated.  */
static inline bool
_dl_hugetext_program_runs (void)
{
  const struct link_map *program = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  return program != NULL && program->l_relocated;
}

/* Return the state, and make it if necessary.  Return NULL if there is no
   memory for a state, or if no object can gain.  Callers call this function
   only if huge text is on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* Return the state, and make it if necessary, without checking whether objects
   can gain.  The process may later prove too small.  */
extern struct hugetext_state *_dl_hugetext_early_state (void) attribute_hidden;

/* Return the state, or NULL if there is none.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Unmap STATE if the program is small and none of its text is on huge pages.
   The root says why nothing is huge, and the program uses no more memory than
   under the stock loader.  AT_START says that the program does not run yet. */
extern void _dl_hugetext_leave_state (struct hugetext_state *state,
                                      bool at_start) attribute_hidden;

/* Whether the process would be too small to gain from huge pages, with MORE
   bytes of text in addition to its mapped text.  */
extern bool _dl_hugetext_is_small (uintptr_t more) attribute_hidden;

/* Make the next call of _dl_hugetext_is_small count the text of all objects,
   because an object is going to be unmapped and its link map freed.  */
extern void _dl_hugetext_count_again (void) attribute_hidden;

/* Return the record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state,
                   const struct link_map *l) attribute_hidden;

/* Return a new record for L, or NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state,
                       struct link_map *l) attribute_hidden;

/* Unmap RECORD's blocks that a trial has left mapped.  */
extern void
_dl_hugetext_drop_kept (struct hugetext_state *state,
                        struct hugetext_record *record) attribute_hidden;

/* Unmap the blocks of all records that trials have left mapped, if there is a
   state.  */
extern void _dl_hugetext_drop_all_kept (void) attribute_hidden;

/* Free RECORD, and return its charge to the ledger.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
